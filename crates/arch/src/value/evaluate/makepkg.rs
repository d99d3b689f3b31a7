//! makepkg while it sources a PKGBUILD: its variables, and the commands that are not followed.

use crate::value::ir::Field;
use rocpkg_bash::evaluate::{Host, Reason, Run, Status, Value, Variable};
use rocpkg_syntax::{Listing, Memo, Unreadable};
use std::ops::Range;
use std::rc::Rc;

/// Variables that change the way in which bash or makepkg reads the rest of the PKGBUILD.
const SPECIAL: &str = "IFS PATH LANG LANGUAGE LIBRARY GLOBIGNORE POSIXLY_CORRECT SHELLOPTS \
BASHOPTS RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS EPOCHREALTIME FUNCNAME GROUPS UID EUID PPID \
DIRSTACK PIPESTATUS OPTIND known_hash_algos pkgbuild_schema_arrays pkgbuild_schema_strings \
pkgbuild_schema_arch_arrays pkgbuild_schema_package_overrides";

/// Functions and commands that makepkg itself calls to read a PKGBUILD.
const CALLED: &str = "have_function grep_function array_build get_pkgbuild_attribute \
extract_global_variable extract_function_variable source_safe grep printf declare local eval shopt \
unset export true echo read";

/// A place in a PKGBUILD that only bash can evaluate, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    /// The range of bytes of the place in the PKGBUILD.
    pub(crate) at: Range<usize>,
    /// The reason, as a sentence without its period.
    pub(crate) reason: String,
}

impl From<&Reason> for Stop {
    fn from(reason: &Reason) -> Self {
        Self {
            at: reason.place().range().unwrap_or_default(),
            reason: reason.to_string(),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Makepkg;

/// Evaluates the global scope of a PKGBUILD. The second value is the status of its last statement.
pub(crate) fn sourced(text: &str) -> Rc<(Run<Makepkg>, Status)> {
    let sourced = || {
        let mut run = Run::new(Makepkg);
        let status = run.script(text);
        Ok::<_, Unreadable>(Rc::new((run, status)))
    };
    let all = SOURCED.with(|all| all.get((text, ()), sourced));
    all.unwrap_or_else(|_| Rc::new((Run::new(Makepkg), Status::Unknown)))
}

thread_local! {
    static SOURCED: Memo<(), Rc<(Run<Makepkg>, Status)>> = const { Memo::new() };
}

/// Returns the statements after which any variable may have another value, and those that were
/// passed over.
pub(super) fn stops(run: &Run<Makepkg>, listing: &Listing) -> Vec<Stop> {
    let is_reserved = |name: &str| {
        name.contains("srcinfo") || CALLED.split_whitespace().any(|called| called == name)
    };
    let functions = listing.functions.iter();
    let reserved = functions.filter(|function| is_reserved(&function.name));
    let reserved = reserved.map(|function| Stop {
        at: function.at.clone(),
        reason: format!("makepkg itself calls `{}`", function.name),
    });
    let refused = run.refused.iter().map(|refused| Stop {
        at: refused.at.range().unwrap_or_default(),
        reason: refused.reason.clone(),
    });
    let ends = run.ends.iter().filter(|end| !end.is_certain);
    let ends = ends.map(|end| Stop {
        at: end.at.range().unwrap_or_default(),
        reason: format!("only bash can decide if `{}` runs", end.name),
    });
    let passed = run.passed.iter().chain(&run.lost).map(Stop::from);
    reserved.chain(refused).chain(ends).chain(passed).collect()
}

impl Host for Makepkg {
    fn outer(_: &mut Run<Self>, name: &str) -> Option<Variable> {
        (name == "CARCH").then(|| Variable::Text("x86_64".into()))
    }

    fn command(run: &mut Run<Self>, name: &str, _: &[Value]) -> Status {
        let value = run.open("the value is the output of a command");
        run.printed(&value);
        if !run.is_recording() && !run.is_captured() {
            let reason = run.reason(&format!("only bash can run `{name}`"));
            run.passed.push(reason);
        }
        Status::Unknown
    }

    fn unset(_: &mut Run<Self>, name: &str) -> Option<String> {
        (!is_field(name)).then(|| format!("`{name}` is not set in the PKGBUILD"))
    }

    fn file_names(run: &mut Run<Self>, pattern: Value, _: bool) -> Value {
        // No folder is called `https:`, so an address matches no file and stays unchanged.
        let text = pattern.written("");
        if text.contains("://") {
            return pattern;
        }
        run.open("a pattern may match files")
    }

    fn declare(keyword: &str, flags: &str) -> Option<String> {
        let is_global = matches!(keyword, "export" | "readonly" | "");
        let is_plain = flags.is_empty() && is_global || flags == "g";
        (!is_plain).then(|| format!("only bash can run `{keyword}`"))
    }

    fn reserved(name: &str) -> Option<String> {
        let is_special = SPECIAL.split_whitespace().any(|own| own == name)
            || name.starts_with("LC_")
            || name.starts_with("BASH");
        is_special.then(|| format!("`{name}` changes how bash reads the rest"))
    }
}

/// Returns true for a field, with or without an architecture. makepkg unsets all fields before it
/// reads a PKGBUILD (`util/schema.sh`).
pub(crate) fn is_field(name: &str) -> bool {
    let head = name.split_once('_').map_or(name, |(head, _)| head);
    matches!(name, "pkgname" | "pkgbase") || Field::from_name(head).is_some()
}

/// Returns the elements of a variable; `None` for a variable that is not set. A variable that is no
/// array has one element.
///
/// # Errors
/// Returns the place that only bash can evaluate.
pub(crate) fn elements(run: &Run<Makepkg>, name: &str) -> Result<Option<Vec<String>>, Stop> {
    let Some(variable) = run.variables.get(name) else {
        return Ok(None);
    };
    texts(variable).map(Some)
}

/// Returns the texts of the elements of a variable.
///
/// # Errors
/// Returns the place that only bash can evaluate.
pub(super) fn texts(variable: &Variable) -> Result<Vec<String>, Stop> {
    let all = variable.elements().map_err(Stop::from)?;
    let text = |value: &Value| match value.reason() {
        Some(reason) => Err(Stop::from(reason)),
        None => Ok(value.known().unwrap_or_default()),
    };
    all.iter().map(text).collect()
}
