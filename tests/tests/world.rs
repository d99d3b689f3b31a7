//! Renders the shipped model under one policy of propagation, with stand-ins for external packages.

use rocpkg::core::UseExpand;
use rocpkg::gentoo::internal::members;
use rocpkg::internal::model::{Findings, Propagation};
use rocpkg::internal::render::{WriteOptions, write};
use rocpkg::internal::resolve::{Choice, Model, Plan, Planned};
use rocpkg::pms::{Cpn, Flag, Member};
use rocpkg::{Backend, Options};
use rocpkg_tests::{Finding, GentooWorld, Level, companion, laid, rendered, write_file};
use std::fs;

/// The inputs of the tests of a propagation policy.
pub(crate) struct World {
    /// Portage with the rendered repository.
    pub(crate) portage: GentooWorld,
    /// The plan that was rendered.
    pub(crate) plan: Plan,
    /// The packages of the plan in the solver's form, then external packages.
    pub(crate) members: Vec<Member>,
}

impl World {
    /// Renders the shipped model under one policy.
    pub(crate) fn new(mode: Propagation) -> Self {
        Self::of(mode, |_| {})
    }

    /// Renders the shipped model under one policy, with a change in the model.
    pub(crate) fn of(mode: Propagation, change: impl FnOnce(&mut Model)) -> Self {
        let (mut model, mut findings) = laid(&[]);
        model.distros.get_mut("gentoo").unwrap().propagation = Some(mode);
        change(&mut model);
        let plan = Plan::new(&model, "gentoo", &Choice::Shipped, &mut findings).unwrap();
        let (members, _) = members(&plan, &mut Findings::default());
        let options = Options {
            backends: vec![Backend::Gentoo],
            ..Options::everything()
        };
        let shipped = rendered((model, findings), &options).sound();
        let root = tempfile::tempdir().unwrap();
        write(&shipped.tree.files, root.path(), &WriteOptions::default()).unwrap();
        for c in &shipped.tree.companions {
            let path = root.path().join(&c.path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            write_file(path, companion(c.path.split_once('/').unwrap().1));
        }
        let portage = GentooWorld::with_own_externals(&root.path().join("gentoo"));
        Self {
            portage,
            plan,
            members,
        }
    }

    /// Returns pkgcheck's findings, without those that are expected: no public source gives the
    /// checksums of 7.2.0, patches are companions, and only `::gentoo` itself has a description of
    /// `VIDEO_CARDS`, which metadata.xml may go beyond.
    pub(crate) fn pkgcheck(&self) -> Vec<Finding> {
        let allowed = ["MissingManifest", "UnknownManifest", "UnderscoreInUseFlag"];
        let all = self.portage.pkgcheck_scan().into_iter();
        all.filter(|f| f.level != Level::Info && !allowed.contains(&f.name.as_str()))
            .collect()
    }

    /// Returns the packages of the plan, each with the solver's form of it.
    pub(crate) fn packages(&self) -> impl Iterator<Item = (&Planned, &Member)> {
        // Both lists are in the order of the plan. External packages follow in the second one.
        self.plan.packages.iter().zip(&self.members)
    }
}

/// Returns the GPU targets that a package has flags for.
pub(crate) fn targets_of(member: &Member) -> Vec<String> {
    let expand = UseExpand::new("AMDGPU_TARGETS").unwrap();
    expand.values(&member.iuse).map(str::to_owned).collect()
}

/// Returns the USE flag of a target.
pub(crate) fn target_flag(target: &str) -> Flag {
    Flag::new(&format!("amdgpu_targets_{target}")).unwrap()
}

/// Returns Portage's name of a package.
pub(crate) fn name(member: &Member) -> &Cpn {
    &member.package.cpv.cpn
}
