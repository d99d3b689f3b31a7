//! Renders the scope, `default.nix`. It calls every package, and contains narrowed scopes such as
//! `gfx1100`, in which all packages are built for these GPU targets only.

use crate::lower::beside::beside;
use crate::lower::package::wants_original;
use crate::lower::{
    Lower, NixFile, Tables, attribute, base_attribute, holds_targets, is_of_python, location,
};
use crate::value::arguments::function;
use crate::value::expr::{Binding, NixExpr, Operator, Pattern, named};
use crate::value::open;
use indexmap::IndexMap;
use rocpkg_model::{Findings, Spanned};
use rocpkg_resolve::{Plan, Planned};

/// Returns groups of GPU targets by name, such as `gfx10` for `gfx1030` and `gfx1031`. `targets`
/// are the targets of the scope. The groups are stated in the distribution's file, or else
/// computed: a group has the name of its targets without the last two characters.
fn groups(plan: &Plan, targets: &[String]) -> IndexMap<String, Vec<String>> {
    let stated = plan
        .distro
        .scope
        .as_ref()
        .map(|scope| &scope.groups)
        .filter(|groups| !groups.is_empty());
    if let Some(stated) = stated {
        let built = |list: &[Spanned<String>]| -> Vec<String> {
            list.iter()
                .map(|t| t.value.clone())
                .filter(|t| targets.contains(t))
                .collect()
        };
        let all = stated
            .iter()
            .map(|(name, list)| (name.clone(), built(list)));
        return all.filter(|(_, list)| !list.is_empty()).collect();
    }
    let mut out: IndexMap<String, Vec<String>> = IndexMap::new();
    for t in targets {
        // A name ends with one digit for the minor version and one for the stepping.
        if let Some(g) = t.len().checked_sub(2).and_then(|n| t.get(..n)) {
            out.entry(g.to_owned()).or_default().push(t.clone());
        }
    }
    out
}

/// A function in Nix that returns the scope narrowed to a list of targets. It overrides the package
/// that contains the scope's list. `@holder@` is replaced by its attribute.
const NARROW: &str = r"
# All packages take their targets from this one, so it alone is changed
narrowTo =
  targets:
  scope.overrideScope (
    _: prev: {
      @holder@ = prev.@holder@.override { localGpuTargets = targets; };
    }
  );
";

/// The value of the file: the scope, with a narrowed scope for each of its targets, and for each
/// group of targets.
const ALL: &str = r"
scope
// lib.genAttrs scope.@holder@.gpuTargets (target: narrowTo [ target ])
// @groups@";

/// Returns the file of the scope, with a call of every package of the plan. `tables` has the names
/// that it may use.
pub fn scope(tables: &Tables, findings: &mut Findings) -> NixFile {
    let plan = tables.plan;
    let mut set = own(plan, findings);
    for (i, p) in plan.packages.iter().enumerate() {
        let mut bindings = calls(tables, p, findings);
        if i == 0
            && let Some(first) = bindings.first_mut()
        {
            first.apart = true;
        }
        set.extend(bindings);
    }
    let (beside, unwanted) = beside(plan, findings);
    set.extend(beside);
    let all = std::iter::once(NixExpr::Set(set)).chain(unwanted);
    let all = NixExpr::join(Operator::Update, all).unwrap_or(NixExpr::Null);
    let packages = NixExpr::Lambda(Pattern::Name("self".into()), Box::new(all));
    let base = NixExpr::call("lib.makeScope", [named("newScope"), packages]);
    let mut bindings = vec![Binding::new("scope", base)];
    let mut body = named("scope");
    if let Some(h) = plan.packages.iter().find(|p| holds_targets(plan, p)) {
        let holder = attribute(h);
        let narrow = Binding::read(&NARROW.replace("@holder@", &holder)).unwrap_or_default();
        bindings.extend(narrow.into_iter().map(Binding::apart));
        let groups = groups(plan, &plan.distro_targets(&h.version).0)
            .into_iter()
            .map(|(group, list)| {
                Binding::plain(&group, NixExpr::call("narrowTo", [NixExpr::strings(list)]))
            });
        let groups = NixExpr::Set(groups.collect()).to_string();
        let all = ALL
            .replace("@holder@", &holder)
            .replace("@groups@", &groups);
        body = NixExpr::read(&all).unwrap_or(body);
    }
    let file = NixExpr::Let(bindings, Box::new(body));
    NixFile {
        path: "default.nix".into(),
        expr: function(file, &[]),
    }
}

/// Returns the bindings that the distribution's file states for the scope. They come before all
/// packages.
fn own(plan: &Plan, findings: &mut Findings) -> Vec<Binding> {
    let Some(text) = plan
        .distro
        .scope
        .as_ref()
        .and_then(|scope| scope.own.as_ref())
    else {
        return Vec::new();
    };
    Binding::read(&text.text).unwrap_or_else(|faults| {
        for fault in &faults {
            findings.push(open::finding(fault, text));
        }
        Vec::new()
    })
}

fn call(caller: &str, path: &str, given: Vec<Binding>) -> NixExpr {
    NixExpr::call(
        caller,
        [NixExpr::Path(path.to_owned()), NixExpr::Set(given)],
    )
}

/// Returns the bindings of one package in the scope: `rocblas = self.callPackage ./rocblas { };`. A
/// package in parts has a second binding, for its base.
pub fn calls(tables: &Tables, p: &Planned, findings: &mut Findings) -> Vec<Binding> {
    let attr = attribute(p);
    let Some(mut l) = Lower::new(tables, p, findings) else {
        return Vec::new();
    };
    let python = is_of_python(l.nix);
    let mut given = Vec::new();
    // Python's package set passes nixpkgs' `stdenv`.
    if wants_original(p) && !python {
        given.push(Binding::inherit(None, ["stdenv"]));
    }
    if python {
        // Python's package set does not contain the packages of this scope.
        let mut inherited: Vec<String> = l
            .update_script()
            .filter(|_| l.updates())
            .map(str::to_owned)
            .into_iter()
            .collect();
        inherited.extend(l.used_packages());
        if !inherited.is_empty() {
            given.push(Binding::inherit(Some(named("self")), inherited));
        }
    }
    l.enter_scope();
    given.extend(l.bound_names(&l.nix.call_with));
    let caller = if python {
        "python3Packages.callPackage"
    } else {
        "self.callPackage"
    };
    let mut out = Vec::new();
    let path = location(p);
    if l.nix.parts {
        let base = call(caller, &format!("{path}/base.nix"), given.clone());
        out.push(Binding::plain(&base_attribute(&attr), base));
        given.clear();
    }
    out.push(Binding::plain(&attr, call(caller, &path, given)));
    out
}
