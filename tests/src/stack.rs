//! The shipped model with files laid over it, rendered.

use rocpkg::model::{Files, Findings};
use rocpkg::resolve::Model;
use rocpkg::{Options, Stack, Tree};

/// What a model came to.
pub struct Rendered {
    /// The model, for its places.
    pub stack: Stack,
    /// Its files and proofs.
    pub tree: Tree,
    /// What was said of it.
    pub findings: Findings,
}

/// Reads the shipped model with files laid over it, by their paths; they stand in `over/`.
pub fn laid(over: &[(&str, &str)]) -> (Model, Findings) {
    let over: Files = over
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    Model::load(&[
        (String::new(), rocpkg::shipped::profiles()),
        ("over".to_owned(), over),
    ])
}

/// Renders a model.
///
/// # Panics
/// When it can't be.
pub fn rendered((model, findings): (Model, Findings), options: &Options) -> Rendered {
    let stack = Stack::of_model(model, findings).expect("the shipped templates are sound");
    let (tree, findings) = stack.attempt(options).expect("a model can be rendered");
    Rendered {
        stack,
        tree,
        findings,
    }
}

impl Rendered {
    /// The same, once it has no error.
    ///
    /// # Panics
    /// When it has one.
    #[must_use]
    pub fn sound(self) -> Self {
        let shown = || self.findings.render(self.stack.sources(), false);
        assert!(!self.findings.has_errors(), "{}", shown());
        self
    }

    /// The text of a file.
    ///
    /// # Panics
    /// When there is none.
    pub fn text(&self, path: &str) -> String {
        let bytes = self
            .tree
            .files
            .get(path)
            .unwrap_or_else(|| panic!("no {path}"));
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// The codes of the findings, in their order.
    pub fn codes(&self) -> Vec<&'static str> {
        self.findings.sorted().iter().map(|f| f.code).collect()
    }
}
