//! The applications that people run, such as `PyTorch`, on a GPU: their support, and the packages
//! and settings that users need. The key `applications` of `upstream.yaml` lists the applications.

use super::gpu::{OnGpu, Runs, Support, UNKNOWN_CODE, export, overridden};
use super::{Likely, Questions, switched_off};
use rocpkg::Stack;
use rocpkg::internal::model::{EdgeKind, KnownPackage, ReadOnlyEntry};
use rocpkg::internal::resolve::{Chooser, Dependency, Planned};
use rocpkg::internal::targets::Target;

/// The support of a GPU by an application, and the packages and settings that users need.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Application {
    /// The id of the application's package.
    pub package: String,
    /// The name by which users know the application, such as `PyTorch`.
    pub title: String,
    /// The packages to install, as the distribution writes their names, between backticks. All of
    /// them are needed. Empty if the distribution does not package the application, as far as is
    /// known.
    pub install: Vec<String>,
    /// The support of the GPU. None if the distribution does not package the application.
    pub way: Option<Support>,
    /// The probable support, as a guess. None unless `way` is [`Support::Unknown`].
    pub likely: Option<Likely>,
    /// The reason for the support, as in [`Runs::reason`]. If `way` is None, the source that shows
    /// that the distribution has no package.
    pub reason: String,
    /// The id of the package with the device code, if that is another package.
    pub code_in: Option<String>,
    /// The ids of the libraries that the application links, and that have no code that loads on
    /// the GPU.
    pub lacking: Vec<String>,
    /// The settings with which the application runs on the GPU, as sentences. Empty if it does not
    /// run there.
    pub settings: Vec<String>,
}

/// Returns the name by which users know a package: that of `consumers.yaml`, else the title of the
/// component, else the id.
pub fn title<'s>(stack: &'s Stack, id: &'s str) -> &'s str {
    let model = stack.model();
    let known = model.consumers.get(id).and_then(|row| row.title.as_ref());
    let component = || model.components.get(id)?.last("title")?.text();
    known
        .map(|title| title.value.as_str())
        .or_else(component)
        .unwrap_or(id)
}

/// Returns the ids of the applications, in the order of reports.
fn listed(stack: &Stack) -> impl Iterator<Item = &str> {
    let upstream = stack.model().upstream.iter();
    upstream.flat_map(|u| u.applications.iter().map(|id| id.value.as_str()))
}

/// Returns the applications in a distribution whose package index is read: those that the index
/// contains. `found` is the support of a GPU by the distribution's packages, which
/// [`read_only`](super::read_only) returns with `entry`.
#[doc(hidden)]
pub fn declared_applications(
    stack: &Stack,
    entry: &ReadOnlyEntry,
    found: &OnGpu,
) -> Vec<Application> {
    let name = |id: &str| {
        let mut rows = entry.declared.iter();
        rows.find_map(|row| Some(&row.packages.get(id)?.name))
    };
    let row = |id: &str| found.packages.iter().find(|runs| runs.package == id);
    let all = listed(stack).filter_map(|id| Some((id, row(id)?)));
    all.map(|(id, runs)| Application {
        install: name(id)
            .map(|name| format!("`{name}`"))
            .into_iter()
            .collect(),
        settings: match &runs.way {
            Support::Override { value } => vec![export(&found.overrides, value)],
            way => no_setting(way),
        },
        ..Application::of(stack, id, Some(runs))
    })
    .collect()
}

/// Returns the setting of an application that needs none.
fn no_setting(way: &Support) -> Vec<String> {
    let text = match way {
        Support::Native | Support::Loads { .. } => "nothing",
        Support::Unknown(_) => "nothing, if it has code for the GPU",
        _ => return Vec::new(),
    };
    vec![text.to_owned()]
}

impl Application {
    /// Returns an application without packages and settings. `runs` is the support by the package
    /// with its device code, if that is known.
    fn of(stack: &Stack, id: &str, runs: Option<&Runs>) -> Self {
        let unknown = || Support::Unknown(UNKNOWN_CODE.to_owned());
        Self {
            package: id.to_owned(),
            title: title(stack, id).to_owned(),
            install: Vec::new(),
            way: Some(runs.map_or_else(unknown, |runs| runs.way.clone())),
            likely: runs.and_then(|runs| runs.likely.clone()),
            reason: runs.map_or_else(String::new, |runs| runs.reason.clone()),
            code_in: None,
            lacking: Vec::new(),
            settings: Vec::new(),
        }
    }
}

impl Questions<'_> {
    /// Returns the applications on a GPU, in the order of reports. `found` is the support by the
    /// distribution's packages, which [`Questions::on_gpu`] returns.
    pub fn applications(&self, gpu: Target, found: &OnGpu) -> Vec<Application> {
        listed(self.stack)
            .map(|id| self.application(id, gpu, found))
            .collect()
    }

    fn application(&self, id: &str, gpu: Target, found: &OnGpu) -> Application {
        let (distro, stack) = (&self.plan.distro_name, self.stack);
        let known = stack.model().consumers.get(id);
        let Some(p) = self.plan.known(id) else {
            let absent = known.and_then(|row| row.not_packaged.get(distro));
            let unknown = || Support::Unknown(format!("whether {distro} packages it"));
            return Application {
                way: absent.is_none().then(unknown),
                reason: absent.map_or_else(String::new, |source| source.value.clone()),
                ..Application::of(stack, id, None)
            };
        };
        let known_as = |id: &str| stack.model().consumers.get(id)?.get(distro);
        let row = known_as(id).filter(|_| self.plan.get(id).is_none());
        let code_in = row.and_then(|row| row.device_code_in.as_ref());
        let code_in = code_in.map(|id| id.value.clone());
        let all = || found.packages.iter().chain(&found.consumers);
        let with_code = code_in.as_deref().unwrap_or(id);
        let mut out = Application::of(stack, id, all().find(|runs| runs.package == with_code));
        out.install = vec![self.installed_as(p, row)];
        if let Some(other) = code_in.as_deref().and_then(|id| self.plan.known(id)) {
            out.install
                .push(self.installed_as(other, known_as(&other.id)));
        }
        let without = |id: &String| {
            let mut runs = all().filter(|runs| runs.package == *id);
            runs.any(|runs| runs.way == Support::Without)
        };
        let links = p
            .depends
            .iter()
            .filter(|e| e.edge.kind.0.contains(&EdgeKind::Link));
        let linked = links.filter_map(|e| match &e.to {
            Dependency::Package(to) => Some(to),
            Dependency::External(_) => None,
        });
        out.lacking = linked.filter(|id| without(id)).cloned().collect();
        if let Some(way) = &out.way {
            out.settings = self.settings(p, row, (gpu, way), found);
        }
        out.code_in = code_in;
        out
    }

    /// Returns the name of a package for users, between backticks. `row` is that of a consumer.
    /// Several packages of one recipe are alternatives.
    fn installed_as(&self, p: &Planned, row: Option<&KnownPackage>) -> String {
        let names = match row {
            Some(row) if row.packages.is_empty() => vec![row.name.value.clone()],
            Some(row) => row.packages.iter().map(|name| name.value.clone()).collect(),
            None => vec![self.full_name(p)],
        };
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        names.join(" or ")
    }

    /// Returns the name of a rendered package, with its category or with nixpkgs' scope.
    fn full_name(&self, p: &Planned) -> String {
        let scope = self.plan.distro.scope.as_ref();
        match (
            self.recipes.chooser,
            scope.and_then(|s| s.attribute.as_ref()),
        ) {
            (Chooser::Flags { .. }, _) => self.called(p),
            (Chooser::Scope, Some(scope)) => format!("{}.{}", scope.value, p.name),
            _ => p.name.clone(),
        }
    }

    /// Returns the settings with which a package runs on a GPU in the way `way`, as sentences.
    fn settings(
        &self,
        p: &Planned,
        row: Option<&KnownPackage>,
        (gpu, way): (Target, &Support),
        found: &OnGpu,
    ) -> Vec<String> {
        let value = match way {
            Support::Override { value }
            | Support::Packed {
                value: Some(value), ..
            } => Some(value),
            Support::Native | Support::Loads { .. } | Support::Unknown(_) => None,
            _ => return Vec::new(),
        };
        let code = match way {
            Support::Native => Some(gpu),
            Support::Loads { code, .. } => Some(*code),
            _ => value.and_then(|value| self.registry.of_version(overridden(value)?)),
        };
        let lines: Vec<String> = (code.and_then(|code| self.target_line(p, code, found)))
            .into_iter()
            .chain(self.switch(p, row))
            .collect();
        let file = if self.users_choose() {
            "in package.use: "
        } else {
            ""
        };
        let mut out: Vec<String> = lines.iter().map(|line| format!("{file}{line}")).collect();
        out.extend(value.map(|value| export(&found.overrides, value)));
        if out.is_empty() {
            return no_setting(way);
        }
        if row.is_none() && self.users_choose() {
            out.push(format!(
                "the flags of its dependencies: {}",
                self.query(p, gpu)
            ));
        }
        out
    }

    /// Returns the command that prints the flags of a package and its dependencies for a GPU.
    fn query(&self, p: &Planned, gpu: Target) -> String {
        let (id, options, name) = (&p.id, &self.options, self.registry.name(gpu));
        let flag = switched_off(p).map_or_else(String::new, |(flag, on)| {
            let hyphen = if on { "" } else { "-" };
            format!(" --flag {hyphen}{flag}")
        });
        format!("`rocpkg use {id}{options} --targets {name}{flag}`")
    }

    /// Returns the line of `package.use` that builds a package for a target. None if users don't
    /// choose the package's targets. If the line of [`OnGpu::choose`] contains the target, returns
    /// that line.
    fn target_line(&self, p: &Planned, code: Target, found: &OnGpu) -> Option<String> {
        let builds = self.recipes.builds.get(&p.id)?;
        let eclass = self.plan.distro.eclass.as_ref()?;
        if !self.users_choose() || builds.flags.is_empty() {
            return None;
        }
        let variable = &eclass.expand.value;
        let line = |package: &str, targets: &[Target]| {
            let names: Vec<&str> = targets.iter().map(|t| self.registry.name(*t)).collect();
            format!("`{package} {variable}: -* {}`", names.join(" "))
        };
        Some(if found.choose.contains(&code) {
            line("*/*", &found.choose)
        } else {
            line(&self.called(p), &[code])
        })
    }

    /// Returns the setting by which a package is built on the stack, between backticks. None if the
    /// package always is, or if the packager chooses.
    fn switch(&self, p: &Planned, row: Option<&KnownPackage>) -> Option<String> {
        let Some(row) = row else {
            switched_off(p)?;
            return self.setting(p, &[p.stack_feature()?]);
        };
        let name = &row.name.value;
        let switch = row.switch.as_ref().filter(|_| row.packages.is_empty())?;
        match self.recipes.chooser {
            Chooser::Flags { .. } => Some(format!("`{name} {}`", switch.value)),
            Chooser::Scope => Some(format!("`{name}.override {{ {} = true; }}`", switch.value)),
            Chooser::Packager => None,
        }
    }
}
