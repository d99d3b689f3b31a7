//! Which reader reads what.

use crate::outline::{Language, Outline, Reading};
use crate::{bash, nix, yaml};

impl Reading {
    /// Reads a recipe.
    ///
    /// # Errors
    /// The first byte that the language does not have.
    pub fn read(&self, text: &str) -> Result<Outline, usize> {
        match self.language {
            Language::Bash => bash::read(text, self),
            Language::Nix => nix::read(text, self),
            Language::Yaml => yaml::read(text, self),
        }
    }
}
