//! The templates of this crate. The folder is a link to that at the top of the repository, which cargo follows when it packs this crate.

use minijinja::Value;
use rocpkg_render::Templates;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Names and texts of files beside this one.
macro_rules! texts {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("../templates/", $name)))),*] };
}

static TEXTS: [(&str, &str); 4] = texts! { "0BSD.txt.j2" "PKGBUILD.j2" "REUSE.toml.j2" "nvchecker.toml.j2" };

static OWN: LazyLock<Option<Templates>> = LazyLock::new(|| Templates::new(&templates()).ok());

/// The templates by path: `arch/PKGBUILD.j2`.
pub fn templates() -> BTreeMap<String, String> {
    TEXTS.iter().map(|(name, text)| (format!("arch/{name}"), (*text).to_owned())).collect()
}

/// What a template of this crate's own prints; the tests fill in each.
pub(crate) fn own(name: &str, context: Value) -> String {
    let text = OWN.as_ref().and_then(|all| all.render(&format!("arch/{name}"), context).ok());
    text.unwrap_or_default()
}
