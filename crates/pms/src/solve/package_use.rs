//! Prints a solution as lines of `package.use`.

use std::collections::BTreeMap;
use std::fmt;

use crate::cpv::Cpv;
use crate::solve::problem::{Change, Solution};

/// A line of `package.use`: the flags of one package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseLine {
    /// The package, or `=package-version` if another version of it has a line too.
    pub package: String,
    /// The flags with their signs. The flags of a `USE_EXPAND` variable are listed under its name,
    /// without their prefix. All others are listed under `None`.
    pub flags: BTreeMap<Option<String>, Vec<String>>,
}

impl fmt::Display for UseLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.package)?;
        for (variable, flags) in &self.flags {
            if let Some(variable) = variable {
                write!(f, " {variable}:")?;
            }
            flags.iter().try_for_each(|flag| write!(f, " {flag}"))?;
        }
        Ok(())
    }
}

impl Change {
    /// Returns the variable in `use_expand` that the changed flag belongs to, and the flag without
    /// the variable's prefix: `amdgpu_targets_gfx90a` gives `AMDGPU_TARGETS` and `gfx90a`. Returns
    /// `None` if the flag belongs to none of the variables.
    pub fn expanded<'a>(&self, use_expand: &[&'a str]) -> Option<(&'a str, &str)> {
        use_expand.iter().find_map(|variable| {
            let rest = self
                .flag
                .as_str()
                .strip_prefix(variable.to_ascii_lowercase().as_str())?;
            rest.strip_prefix('_').map(|value| (*variable, value))
        })
    }
}

impl Solution {
    /// Returns the changes as lines of `package.use`, one line for each package version.
    /// `use_expand` contains names of `USE_EXPAND` variables. Their flags are written after all
    /// others, behind `VARIABLE:` and without their prefix.
    pub fn package_use(&self, use_expand: &[&str]) -> Vec<UseLine> {
        let mut packages: Vec<&Cpv> = self.changes.iter().map(|change| &change.package).collect();
        packages.dedup();
        let mut lines = Vec::new();
        for package in &packages {
            let alone = packages
                .iter()
                .filter(|other| other.cpn == package.cpn)
                .count()
                == 1;
            let mut line = UseLine {
                package: if alone {
                    package.cpn.to_string()
                } else {
                    format!("={package}")
                },
                flags: BTreeMap::new(),
            };
            for change in self
                .changes
                .iter()
                .filter(|change| change.package == **package)
            {
                let (variable, value) = match change.expanded(use_expand) {
                    Some((variable, value)) => (Some(variable.to_owned()), value),
                    None => (None, change.flag.as_str()),
                };
                let sign = if change.on { "" } else { "-" };
                line.flags
                    .entry(variable)
                    .or_default()
                    .push(format!("{sign}{value}"));
            }
            lines.push(line);
        }
        lines
    }
}
