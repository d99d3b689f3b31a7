//! The choice of the reader for a language.

#[cfg(feature = "nix")]
use crate::nix;
use crate::outline::{Language, Outline, Reading};
use crate::unreadable::Unreadable;
use crate::{bash, yaml};

impl Reading {
    /// Reads a recipe.
    ///
    /// # Errors
    /// A text that is not in the language, or that is too deep or too long to be a recipe.
    pub fn read(&self, text: &str) -> Result<Outline, Unreadable> {
        match self.language {
            Language::Bash => bash::read(text, self),
            #[cfg(feature = "nix")]
            Language::Nix => nix::read(text, self),
            Language::Yaml => yaml::read(text, self),
        }
    }
}
