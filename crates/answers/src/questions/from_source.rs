//! The advice to build packages from source for one GPU, where packagers choose the targets.

use super::{OnGpu, Questions, Support};
use rocpkg::internal::resolve::Planned;
use rocpkg::internal::targets::Target;
use rocpkg::{Backend, Options};

impl Questions<'_> {
    /// Returns the advice to build the packages without code for `gpu` from source, if the command
    /// renders any of them. `is_open` is true if it is not known which targets some packages have.
    /// Then the advice is also given if no package is known to lack code.
    pub(super) fn built_from_source(
        &self,
        gpu: Target,
        all: &[&Planned],
        found: &OnGpu,
        is_open: bool,
    ) -> Option<String> {
        let name = self.registry.name(gpu);
        let distro = &self.plan.distro_name;
        let lacks = found.packages.iter().zip(all).filter(|(r, p)| {
            !matches!(
                r.way,
                Support::Native | Support::Loads { .. } | Support::Unknown(_)
            ) && p.able(self.registry).contains(gpu)
        });
        let mut lacks: Vec<&str> = lacks.map(|(r, _)| r.package.as_str()).collect();
        if lacks.is_empty() && !is_open {
            return None;
        }
        let backend = Backend::ALL.into_iter().find(|b| b.distro() == distro)?;
        let options = Options {
            backends: vec![backend],
            choices: vec![self.choice.clone()],
            targets: Some(name.to_owned()),
            ..Options::default()
        };
        let tree = self.stack.render(&options).ok()?;
        let lacked = !lacks.is_empty();
        lacks.retain(|id| tree.recipes_of(distro, id).next().is_some());
        let build = format!(
            "`rocpkg render {}{} --targets {name} --out {name}`",
            self.folder(),
            self.options
        );
        if !lacks.is_empty() {
            Some(format!(
                "build the packages that can have kernels for it from source, by {build}: {}",
                lacks.join(" ")
            ))
        } else if !lacked {
            Some(format!(
                "if the list lacks {name}, or to build for it alone, build from source: {build}"
            ))
        } else {
            None
        }
    }
}
