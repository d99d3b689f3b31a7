//! The commands of the global scope: those of bash and of Portage, and those that Portage refuses
//! there (PMS 7.1 and 12).

use super::value::{Part, Value, Variable};
use super::words::{open, with_blanks};
use super::{Flow, Run, Status};
use crate::check::values::{ver_cut, ver_rs};
use rocpkg_pms::Version;
use std::cmp::Ordering;

/// The variables that functions of eclasses add to.
pub(super) const METADATA: &[&str] = &[
    "IUSE",
    "REQUIRED_USE",
    "DEPEND",
    "RDEPEND",
    "BDEPEND",
    "IDEPEND",
    "PDEPEND",
    "PROPERTIES",
    "RESTRICT",
    "SRC_URI",
    "S",
    "HOMEPAGE",
];

/// The commands of bash whose effect on variables and on the output is not followed, if there is
/// one.
const OF_BASH: &[&str] = &[
    "alias", "bg", "bind", "caller", "cd", "compgen", "complete", "compopt", "dirs", "disown",
    "enable", "fc", "fg", "hash", "help", "history", "jobs", "kill", "popd", "pushd", "pwd", "set",
    "shopt", "times", "trap", "type", "ulimit", "umask", "unalias", "wait",
];

/// The commands that Portage has in the global scope and that always succeed (`ebuild.sh`,
/// `isolated-functions.sh`).
const OF_PORTAGE: &[&str] = &[
    "debug-print",
    "debug-print-function",
    "debug-print-section",
    "ebegin",
    "eerror",
    "einfo",
    "einfon",
    "elog",
    "eqawarn",
    "ewarn",
];

/// The programs for which Portage has a function in the global scope that warns and fails
/// (`ebuild.sh`, `QA_INTERCEPTORS`).
const INTERCEPTED: &[&str] = &[
    "awk",
    "bash",
    "cc",
    "egrep",
    "equery",
    "fgrep",
    "g++",
    "gawk",
    "gcc",
    "grep",
    "java-config",
    "javac",
    "nawk",
    "perl",
    "pkg-config",
    "python",
    "python-config",
    "sed",
];

/// The commands that end the ebuild in the global scope: Portage defines them for phases only, or
/// makes them die.
const OF_PHASES: &[&str] = &[
    "adddeny",
    "addpredict",
    "addread",
    "addwrite",
    "docompress",
    "edo",
    "get_KV",
    "pipestatus",
    "register_die_hook",
    "register_success_hook",
    "ver_replacing",
];

impl Run<'_> {
    /// Runs a command that is no function of the ebuild.
    pub(super) fn builtin(&mut self, name: &str, arguments: &[Value]) -> Status {
        match name {
            ":" | "true" => Status::Success,
            "false" => Status::Failed,
            "echo" => self.echo(arguments),
            "printf" => self.printf(arguments),
            "test" => Status::of(self.single_bracket(arguments)),
            "[" => {
                let inner = arguments.split_last().map(|(_, inner)| inner);
                Status::of(self.single_bracket(inner.unwrap_or_default()))
            }
            "inherit" => self.inherit(arguments),
            "unset" => {
                for name in arguments.iter().filter_map(Value::known) {
                    self.variables.remove(&name);
                    if arguments.first().and_then(Value::known).as_deref() == Some("-f") {
                        self.functions.remove(&name);
                    }
                }
                Status::Success
            }
            "export" | "readonly" => {
                for value in arguments {
                    let text = value.known().unwrap_or_default();
                    if let Some((name, value)) = text.split_once('=') {
                        self.set(name, Variable::Text(value.into()));
                    }
                }
                Status::Success
            }
            "shift" => {
                let count = arguments.first().and_then(Value::known);
                let count = count.and_then(|count| count.parse().ok()).unwrap_or(1);
                self.arguments.drain(..count.min(self.arguments.len()));
                Status::Success
            }
            "break" | "continue" => {
                self.flow = if name == "break" {
                    Flow::Break
                } else {
                    Flow::Continue
                };
                Status::Success
            }
            "return" | "exit" => self.ends(name, arguments),
            "command" | "builtin" => match arguments.first().and_then(Value::known) {
                Some(first) if !first.starts_with('-') => self.builtin(&first, &arguments[1..]),
                _ => Status::Unknown,
            },
            "nonfatal" => match arguments.first().and_then(Value::known) {
                Some(_) => self.call(arguments),
                None => Status::Unknown,
            },
            "read" | "mapfile" | "readarray" | "getopts" | "let" => {
                for name in arguments.iter().filter_map(Value::known) {
                    let name: String = name.chars().take_while(|c| is_name(*c)).collect();
                    self.set(&name, Variable::Open(format!("`{name}` is read").into()));
                }
                Status::Unknown
            }
            "eval" | "source" | "." | "exec" | "suspend" | "logout" => {
                self.lose(&format!("`{name}` is not followed"));
                Status::Unknown
            }
            "has" => has(arguments),
            "hasq" | "hasv" if self.recipe.eapi().is_some_and(|eapi| eapi < 8) => {
                let status = has(arguments);
                let first = arguments.first().cloned().unwrap_or_default();
                if name == "hasv" && status != Status::Failed {
                    self.printed(&first);
                }
                status
            }
            "ver_cut" | "ver_rs" | "ver_test" if self.recipe.eapi() >= Some(7) => {
                self.version(name, arguments)
            }
            "die" => {
                self.refuse(name, "it ends the ebuild");
                Status::Failed
            }
            "eend" => match arguments.first().and_then(Value::known).as_deref() {
                Some("0") | None => Status::Success,
                Some(_) => Status::Failed,
            },
            name if OF_PORTAGE.contains(&name) => Status::Success,
            name if OF_BASH.contains(&name) => {
                self.printed(&open(format!("`{name}` is not followed")));
                Status::Unknown
            }
            // A path is run, if there is such a program.
            name if name.contains('/') => {
                self.printed(&open(format!("`{name}` is not followed")));
                Status::Unknown
            }
            name if INTERCEPTED.contains(&name) => {
                if self.is_certain && self.lost.is_none() {
                    self.intercepted.push(name.to_owned());
                }
                Status::Failed
            }
            name => self.other(name),
        }
    }

    /// Runs a command that is a function of an eclass, a helper of phases, or an external program.
    fn other(&mut self, name: &str) -> Status {
        let eclasses = &self.recipe.eclasses;
        let defining = self.inherited.iter().find_map(|own| {
            let all = eclasses.with_inherited(own)?;
            let found = all
                .into_iter()
                .find(|eclass| eclass.functions.contains(name))?;
            Some((own.clone(), found.variables.clone()))
        });
        if let Some((eclass, variables)) = defining {
            let reason = format!("`{name}` of {eclass}.eclass is not followed");
            self.printed(&open(reason.as_str()));
            self.opened(&reason, Some(&variables));
            return Status::Unknown;
        }
        let is_of_phases = crate::check::given::COMMANDS.contains(&name)
            || OF_PHASES.contains(&name)
            || name.starts_with("default_")
            || name == "default";
        if is_of_phases {
            self.refuse(name, "Portage has it in phases only");
            return Status::Failed;
        }
        if let Some(reason) = self.unknown.clone() {
            self.printed(&Value::open(&reason));
            self.opened(&reason, None);
            return Status::Unknown;
        }
        self.refuse(
            name,
            "it is neither a command of bash nor a function of the ebuild or of an eclass",
        );
        Status::Failed
    }

    fn ends(&mut self, name: &str, arguments: &[Value]) -> Status {
        let code = arguments.first().map(Value::known);
        let status = match code.as_ref().map(Option::as_deref) {
            None => self.last,
            Some(Some("0")) => Status::Success,
            Some(Some(_)) => Status::Failed,
            Some(None) => Status::Unknown,
        };
        if name == "exit" && self.shells == 0 {
            self.refuse(name, "it ends Portage's shell");
            return status;
        }
        self.last = status;
        self.flow = Flow::Return;
        status
    }

    fn echo(&mut self, arguments: &[Value]) -> Status {
        let is_option = |value: &&Value| {
            let text = value.known().unwrap_or_default();
            text.len() > 1
                && text.starts_with('-')
                && text[1..].bytes().all(|b| b"neE".contains(&b))
        };
        let options: Vec<&Value> = arguments.iter().take_while(is_option).collect();
        let has = |sign| {
            options
                .iter()
                .any(|o| o.known().unwrap_or_default().contains(sign))
        };
        let text = with_blanks(&arguments[options.len()..]);
        let has_escapes = |part: &Part| matches!(part, Part::Text(text) if text.contains('\\'));
        if has('e') && text.parts.iter().any(has_escapes) {
            self.printed(&open("`echo -e` is not evaluated"));
        } else {
            self.printed(&text);
            self.printed(&if has('n') { "" } else { "\n" }.into());
        }
        Status::Success
    }

    fn printf(&mut self, arguments: &[Value]) -> Status {
        let first = arguments.first().and_then(Value::known);
        if first.as_deref() == Some("-v") {
            let name = arguments.get(1).and_then(Value::known).unwrap_or_default();
            let value = printed(&arguments[2.min(arguments.len())..]);
            let name: String = name.chars().take_while(|c| is_name(*c)).collect();
            self.set(&name, Variable::Text(value));
        } else {
            self.printed(&printed(arguments));
        }
        Status::Success
    }

    /// Runs `ver_cut`, `ver_rs` or `ver_test` (PMS 12.3.14).
    fn version(&mut self, name: &str, arguments: &[Value]) -> Status {
        let all: Option<Vec<String>> = arguments.iter().map(Value::known).collect();
        let own = self.given(if name == "ver_test" { "PVR" } else { "PV" });
        let (Some(all), Some(own)) = (all, own) else {
            self.printed(&open(format!("`{name}` is not evaluated")));
            return Status::Unknown;
        };
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let text = match (name, all.as_slice()) {
            ("ver_cut", [range]) => ver_cut(&own, range),
            ("ver_cut", [range, version]) => ver_cut(version, range),
            ("ver_rs", rest) => {
                let (pairs, version) = match rest.split_last() {
                    Some((last, pairs)) if rest.len() % 2 == 1 => (pairs, *last),
                    _ => (rest, own.as_str()),
                };
                let mut each = pairs.chunks(2).map(|pair| (pair[0], pair[1]));
                each.try_fold(version.to_owned(), |version, (range, new)| {
                    ver_rs(&version, range, new)
                })
            }
            ("ver_test", [operator, right]) => return tested(&own, operator, right),
            ("ver_test", [left, operator, right]) => return tested(left, operator, right),
            _ => None,
        };
        self.printed(&text.map_or_else(|| open(format!("`{name}` is not evaluated")), Value::from));
        self.printed(&"\n".into());
        Status::Success
    }

    fn inherit(&mut self, arguments: &[Value]) -> Status {
        for value in arguments {
            let known = value
                .known()
                .filter(|name| self.recipe.eclasses.get(name).is_some());
            let Some(name) = known else {
                let reason = match value.known() {
                    Some(name) => format!("{name}.eclass was not found"),
                    None => "the name of an eclass is known only when the ebuild runs".to_owned(),
                };
                self.unknown.get_or_insert_with(|| reason.as_str().into());
                // The eclass may set what Portage does not collect.
                for name in [
                    "S",
                    "SRC_URI",
                    "LICENSE",
                    "SLOT",
                    "KEYWORDS",
                    "RESTRICT",
                    "PROPERTIES",
                ] {
                    if self.variables.contains_key(name) {
                        self.set(name, Variable::Text(open(reason.as_str())));
                    }
                }
                continue;
            };
            let eclasses = &self.recipe.eclasses;
            if let Some(all) = eclasses.with_inherited(&name) {
                let variables = all.iter().flat_map(|eclass| &eclass.variables);
                let is_open = |own: &&String| {
                    !COLLECTED.contains(&own.as_str()) && self.variables.contains_key(*own)
                };
                let names: Vec<String> = variables.filter(is_open).cloned().collect();
                for own in names {
                    let reason = format!("`{own}` is a variable of {name}.eclass");
                    self.set(&own, Variable::Text(open(reason)));
                }
            } else {
                let reason = eclasses.reason().unwrap_or_default();
                self.unknown.get_or_insert_with(|| reason.into());
            }
            self.inherited.push(name);
        }
        Status::Success
    }
}

/// The variables that Portage collects of the ebuild and of its eclasses, each by itself (PMS
/// 10.2), and those that eclasses only read.
const COLLECTED: &[&str] = &[
    "IUSE",
    "REQUIRED_USE",
    "DEPEND",
    "RDEPEND",
    "BDEPEND",
    "IDEPEND",
    "PDEPEND",
    "EAPI",
];

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns the output of `printf`.
fn printed(arguments: &[Value]) -> Value {
    let not_known = || open("`printf` is not evaluated");
    let Some(format) = arguments.first().and_then(Value::known) else {
        return not_known();
    };
    let format = format.replace("\\n", "\n").replace("\\t", "\t");
    let parts: Vec<&str> = format.split("%s").collect();
    if format.contains('\\') || parts.iter().any(|part| part.contains('%')) {
        return not_known();
    }
    let mut rest = arguments[1..].iter();
    let mut out = Value::default();
    loop {
        for (i, part) in parts.iter().enumerate() {
            if let Some(value) = (i > 0).then(|| rest.next()).flatten() {
                out.append(value);
            }
            out.push(part);
        }
        if rest.len() == 0 || parts.len() == 1 {
            return out;
        }
    }
}

/// Runs `has`, which looks up its first argument among the others.
fn has(arguments: &[Value]) -> Status {
    let all: Option<Vec<String>> = arguments.iter().map(Value::known).collect();
    let first = arguments.first().and_then(Value::known);
    let rest = || arguments.iter().skip(1).filter_map(Value::known);
    match (all, first) {
        (_, Some(first)) if rest().any(|other| other == first) => Status::Success,
        (Some(_), _) => Status::Failed,
        _ => Status::Unknown,
    }
}

fn tested(left: &str, operator: &str, right: &str) -> Status {
    let parsed = Version::new(left).ok().zip(Version::new(right).ok());
    let Some(order) = parsed.map(|(left, right)| left.cmp(&right)) else {
        return Status::Unknown;
    };
    Status::of(Some(match operator {
        "-eq" => order == Ordering::Equal,
        "-ne" => order != Ordering::Equal,
        "-lt" => order == Ordering::Less,
        "-le" => order != Ordering::Greater,
        "-gt" => order == Ordering::Greater,
        "-ge" => order != Ordering::Less,
        _ => return Status::Unknown,
    }))
}
