//! `rocpkg use` and `rocpkg render` read the same dependencies at each release.

use rocpkg::resolve::Choice;
use rocpkg::{Backend, Stack};
use rocpkg_answers::Answers as _;
use rocpkg_answers::gpu::{Use, UseQuery};

/// Each package can be installed with default flags, at every release for which Gentoo's ebuilds
/// are rendered. No package that is needed is blocked.
#[test]
fn what_is_rendered_can_be_used() {
    let stack = Stack::shipped().unwrap();
    for release in ["6.2.4", "6.4.3", "7.0.2", "7.2.4"] {
        let choice = Choice::Release(release.parse().unwrap());
        let plan = stack.plan(Backend::Gentoo, &choice).unwrap();
        let mut refused = Vec::new();
        for p in &plan.packages {
            let answer = stack.package_use(&UseQuery::new(&p.id), &choice).unwrap();
            if let Use::Refused { reasons, .. } = answer {
                refused.push((p.id.clone(), reasons));
            }
        }
        assert!(refused.is_empty(), "{release}: {refused:#?}");
    }
}
