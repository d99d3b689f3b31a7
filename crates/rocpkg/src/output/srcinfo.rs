//! `.SRCINFO` says what the PKGBUILD beside it says.

use crate::error::Error;
use std::path::Path;

/// What makepkg prints of a PKGBUILD; none where there is no makepkg.
///
/// # Errors
/// When makepkg refuses it.
pub(super) fn from_makepkg(_text: &str, _folder: &Path) -> Result<Option<String>, Error> {
    Ok(None)
}
