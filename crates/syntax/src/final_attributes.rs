//! The names that Nix expressions give to the final attributes of a derivation.

use crate::nix::FINAL;

/// Returns `text`, a text of a rendering, with `finalAttrs` replaced by the name that the recipe
/// `existing` gives to the final attributes of the derivation. With `mkDerivation (self: …)`,
/// `finalAttrs.version` becomes `self.version`; in a recursive set, and in a `let` above the
/// function, it becomes `version`. A recursive set has no name for the package that it becomes, so
/// `finalAttrs.finalPackage` stays. `head` is the part of `existing` above the place of `text`.
pub fn in_own_attributes(text: &str, existing: &str, head: &str) -> String {
    let own = if existing.contains(FINAL) {
        Some(FINAL)
    } else {
        own_name(existing)
    };
    match own.filter(|name| head.contains(&format!("{name}:"))) {
        Some(FINAL) => text.to_owned(),
        Some(name) => {
            let parts = text.split("inherit finalAttrs;");
            let parts: Vec<String> = parts.map(|part| part.replace(FINAL, name)).collect();
            parts.join(&format!("finalAttrs = {name};"))
        }
        None if text.contains("finalAttrs.finalPackage") => text.to_owned(),
        None => text.replace("finalAttrs.", ""),
    }
}

/// Returns true if the recipe `existing` has a name for the final attributes, or if `text`, a text
/// of a rendering, needs none.
pub fn names_attributes(existing: &str, text: &str) -> bool {
    existing.contains(FINAL) || !text.contains(FINAL) || own_name(existing).is_some()
}

/// Returns the recipe's name for the final attributes: `self` for `mkDerivation (self: { … })`.
/// Returns none if it has no such name.
fn own_name(existing: &str) -> Option<&str> {
    let (_, rest) = existing.split_once("mkDerivation (")?;
    let (name, _) = rest.split_once(':')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    Some(name.trim()).filter(|name| !name.is_empty() && name.chars().all(is_name))
}
