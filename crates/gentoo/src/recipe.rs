//! What ebuilds pass to upstream's build as GPU targets, read off the [`Ebuild`]s that are printed.

use crate::ir::{Dep, Ebuild, Required};
use rocpkg_pms::Spec;
use rocpkg_render::bash::Stmt;
use rocpkg_resolve::{Asked, Builds, Chooser, Given, Nothing, Plan, Planned, Recipes};
use rocpkg_shell::{Passed, PassedValue, listed};

/// The function of rocm.eclass that prints the chosen targets.
pub(crate) const CHOSEN: &str = "get_amdgpu_flags";

/// What the ebuilds of a plan pass on. Packages without device code are left out.
pub fn recipes(plan: &Plan, ebuilds: &[Ebuild]) -> Recipes {
    let device = |e: &Ebuild| plan.get(&e.id).filter(|p| p.targets.is_some());
    let builds = ebuilds.iter().filter_map(|e| Some((e.id.clone(), one(plan, device(e)?, e)))).collect();
    Recipes { chooser: Chooser::Flags { handed_on: ebuilds.iter().any(hands_on) }, builds }
}

fn one(plan: &Plan, p: &Planned, e: &Ebuild) -> Builds {
    let (default, offered) = flags(plan, p, e);
    let bodies: Vec<&[Stmt]> = e.functions.iter().map(|(_, body)| body.as_slice()).collect();
    let passed = rocpkg_shell::passed(&bodies, &|n| p.reads(n), CHOSEN);
    let unasked = given(&passed, &default);
    let asks = passed.iter().any(|p| is_chosen(&p.value));
    let flags = [default, offered].concat();
    Builds {
        asked: if asks {
            Asked::Passed { within: Some(flags.clone()), nothing: Nothing::Empty }
        } else {
            Asked::Ignored
        },
        unasked,
        variables: passed.into_iter().map(|p| p.variable).collect(),
        required: e.required_use.leaves().into_iter().any(|r| *r == Required::Expansion("ROCM_REQUIRED_USE")),
        flags,
        ..Builds::default()
    }
}

/// The targets that the ebuild has USE flags for: its own list, or the eclass's for its version.
fn flags(plan: &Plan, p: &Planned, e: &Ebuild) -> (Vec<String>, Vec<String>) {
    let inherits = e.inherit.iter().any(|i| i == "rocm");
    let skips = e.early.iter().any(|v| v.name == "ROCM_SKIP_GLOBALS");
    if inherits && !skips {
        plan.distro_targets(&p.version)
    } else {
        (e.own_targets.clone(), e.offered_targets.clone())
    }
}

fn is_chosen(value: &PassedValue) -> bool {
    matches!(value, PassedValue::Command(words) if words.len() == 1 && words[0] == CHOSEN)
}

fn given(passed: &[Passed], default: &[String]) -> Given {
    let value = match Given::alike(passed.iter().map(|p| (p.variable.clone(), &p.value))) {
        Err(unread) => return unread,
        Ok(None) => return Given::Upstream,
        Ok(Some(value)) => value,
    };
    match value {
        value if is_chosen(value) => Given::List(default.to_vec()),
        PassedValue::Literal(list) => Given::List(listed(list)),
        PassedValue::Command(words) => Given::Unread(words.join(" ")),
        PassedValue::Other(text) => Given::Unread(text.clone()),
    }
}

/// Whether some dependency asks for flags of GPU targets.
fn hands_on(e: &Ebuild) -> bool {
    let asks = |text: &str| text.contains("ROCM_USEDEP") || text.contains("amdgpu_targets_");
    let any = |spec: &Spec<Dep>| {
        spec.leaves().into_iter().any(|dep| match dep {
            Dep::Atom(_, text) => asks(text),
            Dep::Generated(_, atoms) => atoms.iter().any(|(_, text)| asks(text)),
            Dep::Expansion(_) => false,
        })
    };
    let d = &e.depends;
    [&d.run, &d.build, &d.tool, &d.post].into_iter().any(any)
}
