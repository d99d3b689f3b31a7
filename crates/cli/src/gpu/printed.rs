//! The option `--supported-gfx`: the GPU targets that a distribution's tool prints, such as Arch's
//! `rocm-supported-gfx`.

use crate::error::Error;
use rocpkg::{Backend, Stack};
use std::collections::BTreeMap;
use std::io::{self, Read as _};

/// Adds the targets that a tool printed to the facts of the distributions whose tool has an unknown
/// list. `text` is the tool's output, or `-` for standard input. `GPU` targets are separated by
/// semicolons, commas or blanks, and modes such as `:xnack-` are left out.
pub(super) fn with_printed(stack: Stack, backends: &[Backend], text: &str) -> Result<Stack, Error> {
    let mut read = String::new();
    if text == "-" {
        io::stdin()
            .read_to_string(&mut read)
            .map_err(|e| Error::Usage(format!("can't read standard input: {e}")))?;
    } else {
        text.clone_into(&mut read);
    }
    let registry = stack.registry()?;
    let mut names = Vec::new();
    let mut wrong = Vec::new();
    for word in read.split([';', ',', ' ', '\t', '\r', '\n']) {
        let name = word.split(':').next().unwrap_or(word);
        match registry.get(name) {
            _ if word.is_empty() => {}
            Some(target) => names.push(registry.name(target).to_owned()),
            None => wrong.push(match registry.find(name) {
                Err(e) => e.explained(),
                Ok(_) => format!("`{name}` is no GPU target"),
            }),
        }
    }
    if names.is_empty() && wrong.is_empty() {
        wrong.push("no GPU target was printed".to_owned());
    }
    if !wrong.is_empty() {
        return Err(Error::Usage(format!(
            "--supported-gfx: {}",
            wrong.join("\n  ")
        )));
    }
    let open: Vec<String> = backends
        .iter()
        .map(|b| b.distro())
        .filter(|distro| {
            let facts = stack.model().distros.get(*distro);
            let tool = facts.and_then(|facts| facts.target_tool.as_ref());
            tool.is_some_and(|tool| tool.list.is_empty())
        })
        .map(|distro| format!("distros/{distro}.yaml"))
        .collect();
    if open.is_empty() {
        return Err(Error::Usage(
            "--supported-gfx: no tool of these distributions prints an unknown list".to_owned(),
        ));
    }
    let layer = format!("target-tool: {{list: [{}]}}\n", names.join(", "));
    let files: BTreeMap<_, _> = open.into_iter().map(|path| (path, layer.clone())).collect();
    Ok(stack.texts("--supported-gfx", files))
}
