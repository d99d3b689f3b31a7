//! Computes Nix's hash of a folder: the SHA-256 of its archive in Nix's format (NAR).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nix_nar::Encoder;
use sha2::{Digest, Sha256};
use std::io::{self, Read};
use std::path::Path;
use tar::{Archive, EntryType};

/// Unpacks a tar archive that git made into a folder. Nothing is written outside of the folder,
/// whatever the paths and links in the archive are.
pub(crate) fn unpack(from: impl Read, folder: &Path) -> io::Result<()> {
    let mut archive = Archive::new(from);
    archive.set_preserve_mtime(false);
    for entry in archive.entries()? {
        let mut entry = entry?;
        // The global header contains the commit's id.
        if entry.header().entry_type() != EntryType::XGlobalHeader && !entry.unpack_in(folder)? {
            return Err(io::Error::other(
                "git's archive contains a path outside of its folder",
            ));
        }
    }
    // The rest of the archive is padding of the last record.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map(|_| ())
}

/// Returns Nix's hash of a folder, in the form of an SRI: `sha256-…`.
pub(crate) fn of_folder(folder: &Path) -> io::Result<String> {
    let mut archive = Encoder::builder(folder)
        .internal_buffer_size(1 << 16)
        .build()
        .map_err(io::Error::other)?;
    let mut digest = Sha256::new();
    io::copy(&mut archive, &mut digest)?;
    Ok(sri(&digest.finalize()))
}

/// Returns a SHA-256 digest in the form of an SRI: `sha256-…`.
pub(crate) fn sri(digest: &[u8]) -> String {
    format!("sha256-{}", STANDARD.encode(digest))
}
