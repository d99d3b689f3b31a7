//! Reads packages of distributions: `.pkg.tar.zst` (Arch), `.deb`, `.eopkg` (Solus), `.gpkg.tar`
//! (Gentoo). The format follows from the content and not from the name. Members are read one by one
//! as they are unpacked. A large member is stored in a temporary file.

use crate::bytes::{self, BytePart, WINDOW};
use crate::fault::Wrong;
use crate::report::Audit;
use crate::{archive, file};
use std::io::{self, BufReader, Cursor, Read, Write};

const GZIP: &[u8] = &[0x1f, 0x8b];
const XZ: &[u8] = b"\xfd7zXZ\0";
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const BZIP2: &[u8] = b"BZh";
/// The size of the largest member that stays in memory, in bytes.
const HELD: u64 = 32 << 20;
/// The size of the largest member that is read, in bytes.
const MEMBER: u64 = 16 << 30;
/// The largest number of bytes that are unpacked of a package. This limits the time.
const UNPACKED: u64 = 64 << 30;
/// The size of the longest header with a member's name that is read, in bytes.
const NAMES: u64 = 1 << 20;

/// Reads a package. Returns `None` if the bytes are no package. A fault of the package as a whole
/// is reported for a file with the name `name`.
pub(crate) fn read(name: &str, part: BytePart<'_>) -> Option<Audit> {
    let head = part.head(512);
    let is_tar = head.get(257..262) == Some(b"ustar");
    let is_deb = head.starts_with(archive::MAGIC) && head[8..].starts_with(b"debian-binary");
    let mut audit = Audit::default();
    let done = if is_deb {
        debian(&mut audit, part)
    } else if head.starts_with(b"PK\x03\x04") {
        zip(&mut audit, part)
    } else if is_tar
        || [GZIP, XZ, ZSTD, BZIP2]
            .iter()
            .any(|magic| head.starts_with(magic))
    {
        tree(&mut audit, &mut { part }, true)
    } else {
        return None;
    };
    done.unwrap_or_else(|wrong| audit.refuse(name, wrong));
    Some(audit)
}

/// Reads a Debian package (deb(5)): an `ar` archive whose member `data.tar`, with an ending,
/// contains the files.
fn debian(audit: &mut Audit, part: BytePart<'_>) -> Result<(), Wrong> {
    let mut done = Err(Wrong::damaged("no data.tar"));
    archive::members(part, |name, mut part| {
        let is_data = name.starts_with("data.tar");
        if is_data {
            done = tree(audit, &mut part, false);
        }
        !is_data
    })?;
    done
}

/// Reads an eopkg: a zip file whose member `install.tar`, with an ending, contains the files.
fn zip(audit: &mut Audit, part: BytePart<'_>) -> Result<(), Wrong> {
    let mut buffer = vec![0; rawzip::RECOMMENDED_BUFFER_SIZE];
    let located = rawzip::ZipLocator::new().locate_in_reader(part, &mut buffer, part.size);
    let zip = located.map_err(|(_, error)| Wrong::damaged(error))?;
    let mut entries = zip.entries(&mut buffer);
    while let Some(entry) = entries.next_entry().map_err(Wrong::damaged)? {
        if entry.file_path().as_ref().starts_with(b"install.tar") {
            let method = entry.compression_method();
            let entry = zip.get_entry(entry.wayfinder()).map_err(Wrong::damaged)?;
            return match method {
                rawzip::CompressionMethod::STORE => tree(audit, &mut entry.reader(), false),
                _ => tree(
                    audit,
                    &mut flate2::read::DeflateDecoder::new(entry.reader()),
                    false,
                ),
            };
        }
    }
    Err(Wrong::damaged("no install.tar"))
}

/// Reads the files of a tar archive, compressed or not. `outer` is true for the package's own
/// archive. In a Gentoo package, this archive contains a member `image.tar`, with an ending, which
/// contains the files.
fn tree(audit: &mut Audit, reader: &mut dyn Read, outer: bool) -> Result<(), Wrong> {
    let mut tar = tar::Archive::new(unpacked(reader)?.take(UNPACKED));
    let (mut long, mut is_tar) = (None, false);
    // The entries are read raw. Otherwise a header with the name of a member would be read whatever
    // length it states.
    for member in tar.entries().map_err(Wrong::damaged)?.raw(true) {
        // If the data is no tar archive, its first header may contain anything.
        let mut member = member.map_err(|e| {
            if is_tar {
                Wrong::damaged(e)
            } else {
                Wrong::damaged("not a tar archive")
            }
        })?;
        is_tar = true;
        let size = member.header().entry_size().map_err(Wrong::damaged)?;
        let kind = member.header().entry_type();
        if kind.is_gnu_longname() || kind.is_pax_local_extensions() {
            let mut bytes = Vec::new();
            member
                .by_ref()
                .take(NAMES)
                .read_to_end(&mut bytes)
                .map_err(Wrong::damaged)?;
            let mut rows = tar::PaxExtensions::new(&bytes).filter_map(Result::ok);
            let path = rows
                .find(|row| row.key_bytes() == b"path")
                .map(|row| row.value_bytes());
            let name = if kind.is_gnu_longname() {
                bytes.split(|byte| *byte == 0).next()
            } else {
                path
            };
            long = name.map(<[u8]>::to_vec);
        } else if kind.is_file() {
            let name = long
                .take()
                .unwrap_or_else(|| member.path_bytes().into_owned());
            let name = String::from_utf8_lossy(&name);
            file_of(
                audit,
                name.trim_start_matches("./"),
                size,
                &mut member,
                outer,
            )?;
        } else if !kind.is_gnu_longlink() {
            long = None;
        }
    }
    Ok(())
}

fn file_of(
    audit: &mut Audit,
    name: &str,
    size: u64,
    member: &mut dyn Read,
    outer: bool,
) -> Result<(), Wrong> {
    let mut head = Vec::new();
    member
        .take(24)
        .read_to_end(&mut head)
        .map_err(Wrong::damaged)?;
    let last = name.rsplit('/').next().unwrap_or(name);
    // Signatures are beside the archive, with one more ending.
    if outer && last.starts_with("image.tar") && last.matches('.').count() < 3 {
        return tree(audit, &mut Cursor::new(head).chain(member), false);
    }
    if file::kind(name, &head).is_none() {
        return Ok(());
    }
    if size > MEMBER {
        audit.refuse(
            name,
            Wrong::unread(format!("too large: it would unpack to {size} bytes")),
        );
        return Ok(());
    }
    member
        .take(HELD)
        .read_to_end(&mut head)
        .map_err(Wrong::damaged)?;
    if head.len() as u64 == size {
        audit.add(file::read(name, BytePart::of(&head)));
        return Ok(());
    }
    let mut keep = || -> io::Result<_> {
        let mut kept = tempfile::tempfile()?;
        kept.write_all(&head)?;
        let has = head.len() as u64 + io::copy(member, &mut kept)?;
        let read = (has == size)
            .then(|| bytes::of_file(&kept, |part| file::read(name, part)))
            .transpose()?;
        Ok(read.ok_or(Wrong::Cut(size, has)))
    };
    audit.add(keep().map_err(Wrong::damaged)??);
    Ok(())
}

/// Returns a reader that unpacks the data. Its first bytes determine the method of compression;
/// data without a known method is returned unchanged.
fn unpacked<'r>(reader: &'r mut dyn Read) -> Result<Box<dyn Read + 'r>, Wrong> {
    let mut head = Vec::new();
    reader
        .take(6)
        .read_to_end(&mut head)
        .map_err(Wrong::damaged)?;
    let is = |magic: &[u8]| head.starts_with(magic);
    let (gzip, xz, zstd, bzip2) = (is(GZIP), is(XZ), is(ZSTD), is(BZIP2));
    let whole = BufReader::with_capacity(1 << 16, Cursor::new(head).chain(reader));
    Ok(if zstd {
        let mut decoder = zstd::Decoder::with_buffer(whole).map_err(Wrong::damaged)?;
        decoder
            .window_log_max(WINDOW.ilog2())
            .map_err(Wrong::damaged)?;
        Box::new(decoder)
    } else if xz {
        let most = u32::try_from(WINDOW >> 10).unwrap_or(u32::MAX);
        Box::new(lzma_rust2::XzReader::new_mem_limit(whole, true, most))
    } else if gzip {
        Box::new(flate2::bufread::MultiGzDecoder::new(whole))
    } else if bzip2 {
        return Err(Wrong::unread("unsupported compression: bzip2"));
    } else {
        Box::new(whole)
    })
}
