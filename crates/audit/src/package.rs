//! Packages: `.pkg.tar.zst`, `.deb`, `.eopkg`, `.gpkg.tar`, by what they are and not by their names. Members are read one by one as
//! they are unpacked; a large one waits in a temporary file.

use crate::bundle::WINDOW;
use crate::bytes::{Part, Source};
use crate::file::{self, Report};
use crate::{Audit, Kind, Place, Wrong, archive};
use object::read::ReadCache;
use std::io::{self, BufRead, BufReader, Cursor, Read, Write};

const GZIP: &[u8] = &[0x1f, 0x8b];
const XZ: &[u8] = b"\xfd7zXZ\0";
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const BZIP2: &[u8] = b"BZh";
const ZIP: &[u8] = b"PK\x03\x04";
/// A member up to this size stays in memory.
const HELD: u64 = 32 << 20;
/// A larger member is not read.
const MEMBER: u64 = 16 << 30;
/// How much is unpacked of a package at most, which bounds the time.
const UNPACKED: u64 = 128 << 30;
/// A longer name, or a longer header of names, is not believed.
const NAME: u64 = 1 << 20;

/// Reads a package; none where it is no package.
pub(crate) fn read(name: &str, part: Part<'_>) -> Option<Audit> {
    let head = part.head(512);
    let is_tar = head.get(257..262) == Some(b"ustar");
    let is_packed = [GZIP, XZ, ZSTD, BZIP2].iter().any(|magic| head.starts_with(magic));
    let is_deb = head.starts_with(archive::MAGIC) && head[8..].starts_with(b"debian-binary");
    let mut audit = Audit::default();
    let done = if is_deb {
        debian(&mut audit, part)
    } else if head.starts_with(ZIP) {
        zip(&mut audit, part)
    } else if is_tar || is_packed {
        tree(&mut audit, part.reader(), 0)
    } else {
        return None;
    };
    if let Err(wrong) = done {
        let mut report = Report::new(name, Kind::Package);
        report.fault(&Place::default(), wrong);
        audit.files.push(report.file);
    }
    Some(audit)
}

/// deb(5): an `ar` archive of which `data.tar` with an ending is the files.
fn debian(audit: &mut Audit, part: Part<'_>) -> Result<(), Wrong> {
    for member in archive::members(part) {
        let (name, part) = member?;
        if name.starts_with("data.tar") {
            return tree(audit, part.reader(), 0);
        }
    }
    Err(Wrong::malformed("no data.tar"))
}

/// An eopkg is a zip file of which `install.tar` with an ending is the files.
fn zip(audit: &mut Audit, part: Part<'_>) -> Result<(), Wrong> {
    let mut buffer = vec![0; rawzip::RECOMMENDED_BUFFER_SIZE];
    let located = rawzip::ZipLocator::new().locate_in_reader(part, &mut buffer, part.size);
    let zip = located.map_err(|(_, error)| Wrong::malformed(error))?;
    let mut entries = zip.entries(&mut buffer);
    while let Some(entry) = entries.next_entry().map_err(Wrong::malformed)? {
        if !entry.file_path().as_ref().starts_with(b"install.tar") {
            continue;
        }
        let method = entry.compression_method();
        let entry = zip.get_entry(entry.wayfinder()).map_err(Wrong::malformed)?;
        return match method {
            rawzip::CompressionMethod::STORE => tree(audit, entry.reader(), 0),
            rawzip::CompressionMethod::DEFLATE => {
                tree(audit, flate2::read::DeflateDecoder::new(entry.reader()), 0)
            }
            _ => Err(Wrong::Unread { what: "a member of a zip file, by its compression".to_owned() }),
        };
    }
    Err(Wrong::malformed("no install.tar"))
}

/// The files of a tar archive, compressed or not. In Gentoo's, `image.tar` with an ending is the files.
fn tree<'r>(audit: &mut Audit, reader: impl Read + 'r, depth: u8) -> Result<(), Wrong> {
    let reader = unpacked(reader)?.take(UNPACKED);
    let mut tar = tar::Archive::new(reader);
    let mut long = None;
    // Raw, since the names that stand before a member would be read whatever length they say they have.
    for member in tar.entries().map_err(Wrong::unpack)?.raw(true) {
        let mut entry = member.map_err(Wrong::unpack)?;
        let size = entry.header().entry_size().map_err(Wrong::malformed)?;
        let kind = entry.header().entry_type();
        if kind.is_gnu_longname() || kind.is_pax_local_extensions() {
            let mut bytes = Vec::new();
            entry.by_ref().take(NAME).read_to_end(&mut bytes).map_err(Wrong::unpack)?;
            long = if kind.is_gnu_longname() {
                bytes.split(|byte| *byte == 0).next().map(<[u8]>::to_vec)
            } else {
                path(&bytes)
            };
        } else if kind.is_file() {
            let name = long.take().unwrap_or_else(|| entry.path_bytes().into_owned());
            let name = String::from_utf8_lossy(&name);
            file_of(audit, name.trim_start_matches("./"), size, &mut entry, depth)?;
        } else if !kind.is_gnu_longlink() && !kind.is_pax_global_extensions() {
            long = None;
        }
    }
    Ok(())
}

/// The path in a header of POSIX's extensions.
fn path(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut rows = tar::PaxExtensions::new(bytes).filter_map(Result::ok);
    rows.find(|row| row.key_bytes() == b"path").map(|row| row.value_bytes().to_vec())
}

fn file_of(audit: &mut Audit, name: &str, size: u64, entry: &mut dyn Read, depth: u8) -> Result<(), Wrong> {
    let mut head = Vec::new();
    entry.take(24).read_to_end(&mut head).map_err(Wrong::unpack)?;
    let last = name.rsplit('/').next().unwrap_or(name);
    // Signatures stand beside it.
    if depth == 0 && last.starts_with("image.tar") && last.matches('.').count() < 3 {
        let image: Box<dyn Read + '_> = Box::new(Cursor::new(head).chain(entry));
        return tree(audit, image, 1);
    }
    if file::kind(name, &head).is_none() {
        return Ok(());
    }
    if size > MEMBER {
        let mut report = Report::new(name, Kind::Package);
        report.fault(&Place::default(), Wrong::Large { declared: size, most: MEMBER });
        audit.files.push(report.file);
        return Ok(());
    }
    entry.take(HELD).read_to_end(&mut head).map_err(Wrong::unpack)?;
    let first = head.len() as u64;
    if first == size {
        audit.files.extend(file::examine(name, Part::new(Source::Memory(&head), size)));
        return Ok(());
    }
    let mut keep = || -> io::Result<(std::fs::File, u64)> {
        let mut file = tempfile::tempfile()?;
        file.write_all(&head)?;
        let more = io::copy(entry, &mut file)?;
        Ok((file, first + more))
    };
    let (spool, has) = keep().map_err(Wrong::unpack)?;
    if has < size {
        return Err(Wrong::Cut { needs: size, has });
    }
    let cache = ReadCache::new(&spool);
    audit.files.extend(file::examine(name, Part::new(Source::File(&spool, &cache), size)));
    Ok(())
}

/// Unpacks by what the first bytes say.
fn unpacked<'r>(mut reader: impl Read + 'r) -> Result<Box<dyn Read + 'r>, Wrong> {
    let mut head = Vec::new();
    reader.by_ref().take(6).read_to_end(&mut head).map_err(Wrong::unpack)?;
    let is = |magic: &[u8]| head.starts_with(magic);
    let (gzip, xz, zstd, bzip2) = (is(GZIP), is(XZ), is(ZSTD), is(BZIP2));
    let whole = BufReader::with_capacity(1 << 16, Cursor::new(head).chain(reader));
    Ok(if zstd {
        Box::new(Frames { decoder: None, source: Some(whole) })
    } else if xz {
        let most = u32::try_from(WINDOW >> 10).unwrap_or(u32::MAX);
        Box::new(lzma_rust2::XzReader::new_mem_limit(whole, true, most))
    } else if gzip {
        Box::new(flate2::bufread::MultiGzDecoder::new(whole))
    } else if bzip2 {
        return Err(Wrong::Unread { what: "a package compressed by bzip2".to_owned() });
    } else {
        Box::new(whole)
    })
}

type Decoder<R> = ruzstd::decoding::StreamingDecoder<R, ruzstd::decoding::FrameDecoder>;

/// Zstandard frames, one behind the other: some packers write several.
struct Frames<R: BufRead> {
    decoder: Option<Decoder<R>>,
    source: Option<R>,
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(mut source) = self.source.take() {
                if source.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                let decoder = Decoder::new_with_max_window_size(source, WINDOW);
                self.decoder = Some(decoder.map_err(io::Error::other)?);
            }
            let Some(decoder) = &mut self.decoder else { return Ok(0) };
            match decoder.read(buffer)? {
                0 if !buffer.is_empty() => self.source = self.decoder.take().map(Decoder::into_inner),
                read => return Ok(read),
            }
        }
    }
}
