//! The variables of an ebuild after its global scope ran, and the commands that Portage refuses
//! there (PMS 7.1 and 12).

use super::recipe::Recipe;
use super::versions::{ver_cut, ver_rs};
use rocpkg_bash::Stmt;
use rocpkg_bash::evaluate::{Flow, Host, Reason, RefusedCommand, Run, Status, Value, Variable};
use rocpkg_pms::Version;
use rocpkg_syntax::Values;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The variables that the path of an ebuild sets (PMS 11.1).
const OF_PATH: &[&str] = &["CATEGORY", "P", "PF", "PN", "PR", "PV", "PVR"];

/// The variables that functions of eclasses add to.
const METADATA: &[&str] = &[
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
    "LLVM_COMPAT",
    "LLVM_MAX_SLOT",
];

/// The variables that an eclass may set, and that Portage does not collect.
const OF_UNKNOWN_ECLASS: &[&str] = &[
    "S",
    "SRC_URI",
    "LICENSE",
    "SLOT",
    "KEYWORDS",
    "RESTRICT",
    "PROPERTIES",
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

/// The global scope of an ebuild after it ran.
#[derive(Debug, Default)]
pub(super) struct Globals {
    variables: BTreeMap<String, Variable>,
    functions: BTreeMap<String, Rc<[Stmt]>>,
    /// The commands that Portage refuses, each with the reason.
    pub(super) refused: Vec<RefusedCommand>,
    /// The external programs that certainly run, and for which Portage only warns and fails.
    pub(super) intercepted: Vec<RefusedCommand>,
    /// Set if the last command certainly failed.
    pub(super) is_failed: bool,
    /// The reason why nothing is known, such as an `eval`.
    lost: Option<Reason>,
    /// The eclasses that were inherited: those that are known, and the first that is not.
    inherited: Vec<String>,
    unknown: Option<Reason>,
}

impl Globals {
    pub(super) fn of(recipe: &Recipe) -> Self {
        let mut run = Run::new(Portage::new(recipe));
        let status = run.script(recipe.text);
        if run.flow == Flow::Dead {
            run.lose("the ebuild ends before it is set");
        }
        let is_whole = run.lost.is_none() && run.is_certain;
        Self {
            is_failed: status == Status::Failed && is_whole,
            variables: run.variables,
            functions: run.functions,
            refused: run.refused,
            intercepted: run.host.intercepted,
            lost: run.lost,
            inherited: run.host.inherited,
            unknown: run.host.unknown,
        }
    }

    /// Returns the evaluation at the end of the global scope. Variables that nobody sets are open.
    pub(super) fn run<'r>(&self, recipe: &'r Recipe<'r>) -> Run<Portage<'r>> {
        let mut host = Portage::new(recipe);
        host.is_lenient = true;
        host.inherited.clone_from(&self.inherited);
        host.unknown.clone_from(&self.unknown);
        let mut run = Run::new(host);
        run.variables.clone_from(&self.variables);
        run.functions.clone_from(&self.functions);
        run.lost.clone_from(&self.lost);
        run
    }

    /// Returns the value of a variable; `None` for a variable that is not set.
    pub(super) fn value(&self, name: &str) -> Option<Value> {
        match (self.variables.get(name), &self.lost) {
            (_, Some(reason)) => Some(Value::open(reason)),
            (variable, None) => variable.map(Variable::text),
        }
    }

    /// Returns a variable; `None` if it is not set or not known.
    pub(super) fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.get(name).filter(|_| self.lost.is_none())
    }

    /// Returns the values of all variables; none if the ebuild can't be followed.
    pub(super) fn values(&self) -> Values {
        let all = self.variables.iter().filter(|_| self.lost.is_none());
        all.map(|(name, variable)| (name.clone(), variable.evaluated()))
            .collect()
    }
}

pub(super) struct Portage<'a> {
    recipe: &'a Recipe<'a>,
    /// The values of variables of [`OF_PATH`] that were looked up.
    given: BTreeMap<String, Option<String>>,
    intercepted: Vec<RefusedCommand>,
    /// The eclasses that were inherited so far: those that are known, and the first that is not.
    inherited: Vec<String>,
    unknown: Option<Reason>,
    /// Set if variables that nobody sets may come from elsewhere.
    is_lenient: bool,
}

type Sourcing<'a> = Run<Portage<'a>>;

impl<'a> Portage<'a> {
    fn new(recipe: &'a Recipe<'a>) -> Self {
        Self {
            recipe,
            given: BTreeMap::new(),
            intercepted: Vec::new(),
            inherited: Vec::new(),
            unknown: None,
            is_lenient: false,
        }
    }

    /// Returns the value of a variable that the path of the ebuild sets.
    fn given(&mut self, name: &str) -> Option<String> {
        if !OF_PATH.contains(&name) {
            return None;
        }
        if let Some(value) = self.given.get(name) {
            return value.clone();
        }
        let value = self.recipe.given(name);
        self.given.insert(name.to_owned(), value.clone());
        value
    }
}

impl Host for Portage<'_> {
    fn outer(run: &mut Run<Self>, name: &str) -> Option<Variable> {
        if let Some(given) = run.host.given(name) {
            return Some(Variable::Text(given.into()));
        }
        if super::given::VARIABLES.contains(&name) {
            let reason = format!("`{name}` is known only when the recipe runs");
            return Some(Variable::Text(Value::standing(name, reason)));
        }
        let eclasses = &run.host.recipe.eclasses;
        let sets = |own: &&String| {
            let all = eclasses.with_inherited(own).unwrap_or_default();
            all.iter().any(|eclass| eclass.variables.contains(name))
        };
        let reason = match run.host.inherited.iter().find(sets) {
            Some(eclass) => format!("`{name}` is a variable of {eclass}.eclass").into(),
            None => run.host.unknown.clone()?,
        };
        Some(Variable::Text(Value::standing(name, reason)))
    }

    fn unset(run: &mut Run<Self>, name: &str) -> Option<String> {
        let is_lenient = run.host.is_lenient;
        is_lenient.then(|| format!("`{name}` is not set in the ebuild"))
    }

    fn file_names(run: &mut Run<Self>, pattern: Value, is_written: bool) -> Value {
        if !is_written {
            return pattern;
        }
        match pattern.known() {
            // Portage sets `failglob`, and there is no file.
            Some(text) if !text.contains('/') => {
                run.fail();
                pattern
            }
            _ => run.open("the names of files are not known"),
        }
    }

    fn command(run: &mut Run<Self>, name: &str, arguments: &[Value]) -> Status {
        let eapi = run.host.recipe.eapi();
        let first = arguments.first().and_then(Value::known);
        match name {
            "inherit" => inherit(run, arguments),
            "nonfatal" => match first {
                Some(_) => run.call(arguments),
                None => Status::Unknown,
            },
            "has" => has(arguments),
            "hasq" | "hasv" if eapi.is_some_and(|eapi| eapi < 8) => {
                let status = has(arguments);
                let first = arguments.first().cloned().unwrap_or_default();
                if name == "hasv" && status != Status::Failed {
                    run.printed(&first);
                }
                status
            }
            "ver_cut" | "ver_rs" | "ver_test" if eapi >= Some(7) => version(run, name, arguments),
            "die" => {
                run.refuse(name, "it ends the ebuild");
                Status::Failed
            }
            "eend" => match first.as_deref() {
                Some("0") | None => Status::Success,
                Some(_) => Status::Failed,
            },
            name if OF_PORTAGE.contains(&name) => Status::Success,
            _ if run.is_recording() => {
                let value = run.open(&format!("`{name}` is not followed"));
                run.printed(&value);
                Status::Unknown
            }
            // A path is run, if there is such a program.
            name if name.contains('/') => {
                let value = run.open(&format!("`{name}` is not followed"));
                run.printed(&value);
                Status::Unknown
            }
            name if INTERCEPTED.contains(&name) => {
                if run.is_certain && run.lost.is_none() {
                    let reason = "Portage does not run it here, and takes it for failed";
                    let refused = run.refusal(name, reason);
                    run.host.intercepted.push(refused);
                }
                Status::Failed
            }
            name => other(run, name),
        }
    }
}

/// Runs a command that is a function of an eclass, a helper of phases, or an external program.
fn other(run: &mut Sourcing, name: &str) -> Status {
    let eclasses = &run.host.recipe.eclasses;
    let defining = run.host.inherited.iter().find_map(|own| {
        let all = eclasses.with_inherited(own)?;
        let found = all
            .into_iter()
            .find(|eclass| eclass.functions.contains(name))?;
        Some((own.clone(), found.variables.clone()))
    });
    if let Some((eclass, variables)) = defining {
        let value = run.open(&format!("`{name}` of {eclass}.eclass is not followed"));
        run.printed(&value);
        opened(run, &value, Some(&variables));
        return Status::Unknown;
    }
    let is_of_phases = super::given::COMMANDS.contains(&name)
        || OF_PHASES.contains(&name)
        || name.starts_with("default_")
        || name == "default";
    if is_of_phases {
        run.refuse(name, "Portage has it in phases only");
        return Status::Failed;
    }
    if let Some(reason) = run.host.unknown.clone() {
        let value = Value::open(&reason);
        run.printed(&value);
        opened(run, &value, None);
        return Status::Unknown;
    }
    run.refuse(
        name,
        "it is neither a command of bash nor a function of the ebuild or of an eclass",
    );
    Status::Failed
}

/// Opens all variables that Portage reads, as a function of an eclass may add `value` to them.
/// Other variables of the eclass, `variables`, are open, too.
fn opened(run: &mut Sourcing, value: &Value, variables: Option<&BTreeSet<String>>) {
    for name in METADATA {
        if let Some(Variable::Text(own)) = run.variables.get_mut(*name) {
            own.push(" ");
            own.append(value);
        } else {
            run.set(name, Variable::Text(value.clone()));
        }
    }
    for name in variables.into_iter().flatten() {
        let name = name.as_str();
        if !METADATA.contains(&name) && !OF_PATH.contains(&name) {
            run.set(name, Variable::Text(value.clone()));
        }
    }
}

fn inherit(run: &mut Sourcing, arguments: &[Value]) -> Status {
    for value in arguments {
        let known = value
            .known()
            .filter(|name| run.host.recipe.eclasses.get(name).is_some());
        let Some(name) = known else {
            let reason = run.reason(&match value.known() {
                Some(name) => format!("{name}.eclass was not found"),
                None => "the name of an eclass is known only when the ebuild runs".to_owned(),
            });
            for name in OF_UNKNOWN_ECLASS {
                if run.variables.contains_key(*name) {
                    run.set(name, Variable::Text(Value::open(&reason)));
                }
            }
            run.host.unknown.get_or_insert(reason);
            continue;
        };
        let eclasses = &run.host.recipe.eclasses;
        if let Some(all) = eclasses.with_inherited(&name) {
            let variables = all.iter().flat_map(|eclass| &eclass.variables);
            let is_open = |own: &&String| {
                !COLLECTED.contains(&own.as_str()) && run.variables.contains_key(*own)
            };
            let names: Vec<String> = variables.filter(is_open).cloned().collect();
            for own in names {
                let value = run.open(&format!("`{own}` is a variable of {name}.eclass"));
                run.set(&own, Variable::Text(value));
            }
        } else {
            let reason = eclasses.reason().unwrap_or_default();
            run.host.unknown.get_or_insert_with(|| reason.into());
        }
        run.host.inherited.push(name);
    }
    Status::Success
}

/// Runs `ver_cut`, `ver_rs` or `ver_test` (PMS 12.3.14).
fn version(run: &mut Sourcing, name: &str, arguments: &[Value]) -> Status {
    let all: Option<Vec<String>> = arguments.iter().map(Value::known).collect();
    let own = run
        .host
        .given(if name == "ver_test" { "PVR" } else { "PV" });
    let not_known = run.open(&format!("`{name}` is not evaluated"));
    let (Some(all), Some(own)) = (all, own) else {
        run.printed(&not_known);
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
    run.printed(&text.map_or(not_known, Value::from));
    run.printed(&"\n".into());
    Status::Success
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
