//! Nix's hash of a folder: SHA-256 of its archive (NAR).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nix_nar::Encoder;
use sha2::{Digest, Sha256};
use std::io::{self, Read};
use std::path::Path;
use tar::{Archive, EntryType};

/// Puts what one of git's archives holds into a folder. Nothing gets out of the folder, whatever
/// the archive's paths and links say.
pub(crate) fn unpack(from: impl Read, folder: &Path) -> io::Result<()> {
    let mut archive = Archive::new(from);
    archive.set_preserve_mtime(false);
    for entry in archive.entries()? {
        let mut entry = entry?;
        // The global header tells the commit.
        if entry.header().entry_type() != EntryType::XGlobalHeader && !entry.unpack_in(folder)? {
            return Err(io::Error::other(
                "git's archive holds a path that leads outside",
            ));
        }
    }
    // What is left fills the last record.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map(|_| ())
}

/// The hash of a folder in Nix's form (SRI).
pub(crate) fn of_folder(folder: &Path) -> io::Result<String> {
    let mut archive = Encoder::builder(folder)
        .internal_buffer_size(1 << 16)
        .build()
        .map_err(io::Error::other)?;
    let mut digest = Sha256::new();
    io::copy(&mut archive, &mut digest)?;
    Ok(sri(&digest.finalize()))
}

/// A SHA-256 in Nix's form.
pub(crate) fn sri(digest: &[u8]) -> String {
    format!("sha256-{}", STANDARD.encode(digest))
}
