//! The packages of a distribution that do not exist at the planned release.

use crate::plan::Absent;
use crate::plan::planned::Planned;
use crate::read::release::{holds, read_range};
use rocpkg_model::{Edge, Findings};
use std::collections::BTreeMap;

/// The components of an absent package, and the reason of its absence.
type Reasons = BTreeMap<String, (Vec<String>, String)>;

/// Returns the reason why a package does not exist at the planned release: it was made for other
/// releases. Returns `None` if it exists.
///
/// # Errors
/// A text that is no range is reported to `findings` as E0203.
pub(crate) fn other(p: &Planned, findings: &mut Findings) -> Option<String> {
    let text = p.package.releases.as_ref()?;
    let range = read_range(&text.value, text.span, findings)?;
    let is_other = !range.contains(&p.version);
    is_other.then(|| format!("it is made for ROCm {}", text.value))
}

/// Removes the packages that can't exist at the planned release from `packages`: those with a
/// version of their own that need another release of the stack, and those that need an absent
/// package.
/// `absent` are packages that were removed before. Returns all absent packages, by id.
pub(crate) fn remove(packages: &mut Vec<Planned>, mut absent: Reasons) -> BTreeMap<String, Absent> {
    loop {
        let mut there: BTreeMap<&str, &Planned> = BTreeMap::new();
        for p in &*packages {
            for name in std::iter::once(&p.id).chain(&p.components) {
                there.entry(name).or_insert(p);
            }
        }
        let found: Reasons = packages
            .iter()
            .filter_map(|p| {
                let reason = reason(p, &there, &absent)?;
                Some((p.id.clone(), (p.components.clone(), reason)))
            })
            .collect();
        if found.is_empty() {
            break;
        }
        packages.retain(|p| !found.contains_key(&p.id));
        absent.extend(found);
    }
    let all = absent.into_iter();
    all.map(|(id, (components, reason))| (id, Absent { components, reason }))
        .collect()
}

/// Returns the reason why `p` can't exist, or `None`. `there` are the packages that exist, by their
/// ids and components.
fn reason(p: &Planned, there: &BTreeMap<&str, &Planned>, absent: &Reasons) -> Option<String> {
    // Conditions that are left are choices of users, for whom each choice must work.
    let needs = |e: &&Edge| e.kind.0.iter().any(|kind| kind.is_needed());
    p.package.depends.iter().find_map(|(name, edges)| {
        let mut needed = edges.0.iter().filter(needs);
        if let Some(to) = there.get(name.as_str()) {
            // The bounds of a package of the stack are checked elsewhere (E0247).
            let is_bound = p.version.own().is_some() && to.version.own().is_none();
            return needed.find_map(|edge| {
                let range = &edge.version.as_ref()?.value;
                let is_other = is_bound && holds(range, &to.version) == Some(false);
                is_other.then(|| format!("it needs {} {range}", to.name))
            });
        }
        let mut all = absent.iter();
        let gone = all.find(|(id, (parts, _))| *id == name || parts.contains(name));
        let gone = gone.filter(|_| needed.next().is_some());
        gone.map(|(id, _)| format!("it needs {id}"))
    })
}
