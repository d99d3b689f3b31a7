//! Renders the shipped model with further files merged over it.

use rocpkg::internal::model::{Files, Findings};
use rocpkg::internal::resolve::Model;
use rocpkg::{Options, Stack, Tree};

/// The result of rendering a model.
pub struct Rendered {
    /// The model, with the sources that findings refer to.
    pub stack: Stack,
    /// The rendered files and the proofs.
    pub tree: Tree,
    /// The findings about the model.
    pub findings: Findings,
}

/// Reads the shipped model with files merged over it. `over` contains paths and texts. The paths
/// are below the folder `over/` in findings.
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
/// If the model can't be rendered.
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
    /// Returns the result itself if there is no error.
    ///
    /// # Panics
    /// If there is an error.
    #[must_use]
    pub fn sound(self) -> Self {
        let shown = || self.findings.render(self.stack.sources(), false);
        assert!(!self.findings.has_errors(), "{}", shown());
        self
    }

    /// Returns the text of a rendered file.
    ///
    /// # Panics
    /// If there is no such file.
    pub fn text(&self, path: &str) -> String {
        let bytes = self
            .tree
            .files
            .get(path)
            .unwrap_or_else(|| panic!("no {path}"));
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Returns the codes of the findings, in the order of the findings.
    pub fn codes(&self) -> Vec<&'static str> {
        self.findings.sorted().iter().map(|f| f.code).collect()
    }
}
