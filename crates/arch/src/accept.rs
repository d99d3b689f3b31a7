//! What is checked of the texts themselves before they leave: both artefacts must still say what the typed value says.

use crate::ir::Pkgbuild;
use crate::print::{self, STYLE};
use crate::srcinfo::{read_srcinfo, srcinfo};
use rocpkg_render::bash::print;

/// What is wrong with the two texts of a package; a template of the user's may have left something out or changed it.
pub(crate) fn accept(b: &Pkgbuild, pkgbuild: &str, info: &str) -> Vec<String> {
    let mut out = Vec::new();
    match read_srcinfo(info) {
        Ok(read) if read == srcinfo(b) => {}
        Ok(_) => out.push("its .SRCINFO does not read back as it was meant".to_owned()),
        Err(line) => out.push(format!("line {line} of its .SRCINFO can't be read")),
    }
    // Fields first, since functions use them; each in one piece.
    let mut rest = pkgbuild;
    let fields = print(&print::fields(b), &STYLE);
    let functions = print::functions(b).into_iter().map(|f| print(&[f], &STYLE));
    for piece in std::iter::once(fields).chain(functions) {
        let Some(at) = rest.find(piece.trim_end()) else {
            let head = piece.lines().next().unwrap_or_default();
            out.push(format!("the template changes or leaves out what begins with `{head}`"));
            continue;
        };
        rest = &rest[at..];
    }
    // Arch's release tool edits these lines with a pattern.
    for field in ["pkgver", "pkgrel"] {
        let stated = pkgbuild.lines().filter(|l| l.starts_with(&format!("{field}="))).count();
        if stated != 1 {
            out.push(format!("{field} is stated {stated} times, not once on a line of its own"));
        }
    }
    out
}
