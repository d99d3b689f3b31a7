//! The names of the eclass of GPU targets, of its variables and of its functions.

use rocpkg_core::UseExpand;
use rocpkg_model::EbuildEclass;
use rocpkg_resolve::Plan;

/// The array of the package's own GPU targets that are on by default.
pub(crate) const SUPPORTED_TARGETS: &str = "SUPPORTED_TARGETS";

/// The array of the package's own GPU targets that are off by default.
pub(crate) const OFFERED_TARGETS: &str = "OFFERED_TARGETS";

/// The name of an eclass of GPU targets and its `USE_EXPAND` variable. The names of the eclass's
/// variables and functions follow from these two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expand<'a> {
    /// The name of the eclass without its ending: `rocm`.
    pub name: &'a str,
    /// The `USE_EXPAND` variable: `AMDGPU_TARGETS`.
    pub values: UseExpand,
}

impl<'a> Expand<'a> {
    /// Returns the names of a distribution's eclass. Default names are used if the distribution has
    /// no such eclass, or if Portage refuses the variable's name, which is reported elsewhere.
    pub fn of(plan: &'a Plan) -> Self {
        let eclass = plan.distro.eclass.as_ref();
        let named = eclass.and_then(|eclass| {
            let values = UseExpand::new(&eclass.expand.value).ok()?;
            Some((eclass.name.value.as_str(), values))
        });
        let (name, values) = named.unwrap_or_else(|| {
            let values = UseExpand::new("GPU_TARGETS").expect("capital letters and `_`");
            ("gpu", values)
        });
        Self { name, values }
    }

    /// Returns the variable's name: `AMDGPU_TARGETS`.
    pub fn variable(&self) -> &str {
        self.values.variable()
    }

    /// Returns the text that the variable's USE flags begin with: `amdgpu_targets_`.
    pub fn prefix(&self) -> &str {
        self.values.prefix()
    }

    /// Returns the USE flag of a target: `gfx90a` → `amdgpu_targets_gfx90a`.
    pub fn flag(&self, target: &str) -> String {
        format!("{}{target}", self.prefix())
    }

    /// Returns the target that a USE flag stands for: `amdgpu_targets_gfx90a` → `gfx90a`. Returns
    /// `None` for a flag that is not of the variable.
    pub fn target<'f>(&self, flag: &'f str) -> Option<&'f str> {
        self.values.value(flag)
    }

    fn own(&self, what: &str) -> String {
        format!("{}_{what}", capitals(self.name))
    }

    /// Returns the name of the variable with the release whose targets are offered: `ROCM_VERSION`.
    pub(crate) fn version(&self) -> String {
        self.own("VERSION")
    }

    /// Returns the name of the variable that an ebuild sets if it uses only the eclass's functions:
    /// `ROCM_SKIP_GLOBALS`.
    pub(crate) fn skip(&self) -> String {
        self.own("SKIP_GLOBALS")
    }

    /// Returns the name of the variable whose value requires at least one target:
    /// `ROCM_REQUIRED_USE`.
    pub(crate) fn required_use(&self) -> String {
        self.own("REQUIRED_USE")
    }

    /// Returns the name of the variable with the USE dependency that passes targets on:
    /// `ROCM_USEDEP`.
    pub(crate) fn usedep(&self) -> String {
        self.own("USEDEP")
    }

    /// Returns the name of an internal function of the eclass: `set_globals` → `_rocm_set_globals`.
    pub(crate) fn internal(&self, what: &str) -> String {
        format!(
            "_{}_{what}",
            self.name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
        )
    }

    /// Returns the name of the function that prints the targets that are on: `get_amdgpu_flags`.
    pub(crate) fn list(&self) -> String {
        let lower = self.variable().to_ascii_lowercase();
        format!(
            "get_{}_flags",
            lower.strip_suffix("_targets").unwrap_or(&lower)
        )
    }
}

/// Returns true if `command` is a function of the eclass of GPU targets. Such a function dies by
/// itself. Returns false if the distribution has no such eclass.
pub(crate) fn is_of_eclass(eclass: Option<&EbuildEclass>, command: &str) -> bool {
    eclass.is_some_and(|eclass| {
        let switches = eclass
            .compilers
            .values()
            .chain(&eclass.device)
            .any(|function| function.value == command);
        switches || eclass.functions.contains_key(command)
    })
}

/// Returns the name of an eclass in the variable of its guard: `cuda-extra` → `CUDA_EXTRA`.
pub(crate) fn capitals(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect()
}
