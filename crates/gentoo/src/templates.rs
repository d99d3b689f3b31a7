//! The templates of this crate. The folder is a link to that at the top of the repository, which cargo follows when it packs this crate.

use minijinja::Value;
use rocpkg_render::Templates;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Names and texts of files beside this one.
macro_rules! texts {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("../templates/", $name)))),*] };
}

static TEXTS: [(&str, &str); 11] = texts! {
    "categories.j2" "ebuild.j2" "eapi.j2" "eclass.j2" "eclass-tests.sh.j2" "layout.conf.j2" "metadata.xml.j2" "repo_name.j2"
    "target-globals.j2" "target-list.j2" "targets.desc.j2"
};

static OWN: LazyLock<Option<Templates>> = LazyLock::new(|| Templates::new(&templates()).ok());

/// The templates by path: `gentoo/ebuild.j2`.
pub fn templates() -> BTreeMap<String, String> {
    TEXTS.iter().map(|(name, text)| (format!("gentoo/{name}"), (*text).to_owned())).collect()
}

/// What a template of this crate's own prints; the tests fill in each.
pub(crate) fn own(name: &str, context: Value) -> String {
    let text = OWN.as_ref().and_then(|all| all.render(&format!("gentoo/{name}"), context).ok());
    text.unwrap_or_default()
}
