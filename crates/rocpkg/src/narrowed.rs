//! Lookups of GPUs by name, and checks that distributions offer them.

use crate::backend::Backend;
use crate::error::Error;
use crate::stack::Stack;
use rocpkg_model::Findings;
use rocpkg_resolve::Model;
use rocpkg_targets::{Found, Products, Registry, TargetSet};

/// Returns the registry of GPU targets.
///
/// # Errors
/// If no profile is a `targets.yaml`, which lists the GPU targets.
pub(crate) fn registry(model: &Model) -> Result<&Registry, Error> {
    model.registry.as_ref().ok_or(Error::NoRegistry)
}

impl Stack {
    /// Returns the known GPU targets.
    ///
    /// # Errors
    /// All errors in the profiles, or profiles without `targets.yaml`.
    #[doc(hidden)]
    pub fn registry(&self) -> Result<&Registry, Error> {
        if self.findings().has_errors() {
            return Err(self.problems(self.findings().clone()));
        }
        registry(self.model())
    }

    /// Returns the known GPU targets, with their names, families and the code that each loads.
    ///
    /// ```
    /// let stack = rocpkg::Stack::shipped()?;
    /// let targets = stack.gpu_targets()?;
    /// assert_eq!(targets.show(stack.gpu("RX 7900 XTX")?.targets()), "gfx1100");
    /// # Ok::<(), rocpkg::Error>(())
    /// ```
    ///
    /// # Errors
    /// All errors in the profiles, or profiles without `targets.yaml`.
    pub fn gpu_targets(&self) -> Result<&rocpkg_core::Registry, Error> {
        self.registry().map(|registry| &**registry)
    }

    pub(crate) fn read_names(&self) -> &(Option<Products>, Findings) {
        self.names.get_or_init(|| {
            let mut findings = Findings::default();
            (self.model().products(&mut findings), findings)
        })
    }

    /// Returns the table of the names of GPU products, chips and devices. The table is read on
    /// first use. None if no profile contains such names.
    ///
    /// # Errors
    /// All errors in the table.
    #[doc(hidden)]
    pub fn products(&self) -> Result<Option<&Products>, Error> {
        let (products, findings) = self.read_names();
        if findings.has_errors() {
            Err(self.problems(findings.clone()))
        } else {
            Ok(products.as_ref())
        }
    }

    /// Looks up a GPU by a name as people and tools write it: a target (`gfx1100`), a family of
    /// targets, a product (`RX 7900 XTX`), a chip, a PCI id, or the version that the kernel reports
    /// (`11.0.0`).
    ///
    /// # Errors
    /// The errors of [`Stack::gpu_targets`], errors in the table of hardware names, and an unknown
    /// name.
    pub fn gpu(&self, name: &str) -> Result<Found, Error> {
        let found = self
            .registry()?
            .find_in(&|| self.read_names().0.as_ref(), name, true);
        found.or_else(|e| {
            self.products()
                .and_then(|_| Err(Error::UnknownTarget(vec![e.clone()])))
        })
    }

    /// Returns the targets of all GPU names in `text`, which are separated by commas: `RX 7900 XTX,
    /// gfx1030` -> `gfx1030` and `gfx1100`. A text without any name is an error, because it may
    /// come from a shell variable that is not set.
    ///
    /// # Errors
    /// The unknown names, or the names that may mean one of several targets; and a text without any
    /// name.
    pub fn targets(&self, text: &str) -> Result<TargetSet, Error> {
        let registry = registry(self.model())?;
        let all = match registry.find_all(&|| self.read_names().0.as_ref(), text) {
            Ok(all) => all,
            Err(errors) => {
                self.products()?;
                return Err(Error::UnknownTarget(errors));
            }
        };
        let open: Vec<String> = all
            .iter()
            .filter(|(_, f)| f.is_open())
            .map(|(name, f)| several(registry, name, f))
            .collect();
        if !open.is_empty() {
            return Err(Error::AmbiguousTargets(open));
        }
        let set = all.iter().fold(TargetSet::EMPTY, |set, (_, found)| {
            set.union(found.targets())
        });
        if set == TargetSet::EMPTY {
            let such = registry.names().last().unwrap_or("native");
            return Err(Error::NoTarget(such.to_owned()));
        }
        Ok(set)
    }
}

/// Returns the message that `name` may mean one of the targets in `found`.
fn several(registry: &Registry, name: &str, found: &Found) -> String {
    let each = found
        .targets()
        .iter()
        .map(|t| registry.name(t))
        .collect::<Vec<_>>()
        .join(" or ");
    format!("`{name}` is ambiguous: name one of {each}, or the PCI id that `lspci -nn` prints")
}

/// Returns an error if the targets that the user requested (`model.narrowed`) are not in the lists
/// of one of the distributions. A distribution without lists accepts all targets.
pub(crate) fn check_offered(model: &Model, backends: &[Backend]) -> Result<(), Error> {
    for backend in backends {
        let Some(distro) = model.distros.get(backend.distro()) else {
            continue;
        };
        let rows = distro.targets.iter();
        let all: Vec<&str> = rows
            .flat_map(|row| row.default.iter().chain(&row.offered))
            .map(|t| t.value.as_str())
            .collect();
        let strange: Vec<&str> = model
            .narrowed
            .iter()
            .map(String::as_str)
            .filter(|t| !all.contains(t))
            .collect();
        if !all.is_empty() && !strange.is_empty() {
            let targets = strange.into_iter().map(str::to_owned).collect();
            return Err(Error::NotOffered {
                distribution: *backend,
                targets,
            });
        }
    }
    Ok(())
}
