//! Reads offload bundles: files or sections that contain code for several GPU targets. Several
//! bundles, plain or compressed, may follow each other.
//!
//! Sources: LLVM's "Clang Offload Bundler" (the layouts), `clang/lib/Driver/OffloadBundler.cpp`
//! (the checksum, the three headers).

use crate::bytes::{BytePart, WINDOW, number};
use crate::fault::{Wrong, within};
use crate::report::{File, Method};
use crate::{code, target};
use md5::{Digest, Md5};
use std::collections::BTreeSet;
use std::io::{BufReader, Read};

pub(crate) const PLAIN: &[u8; 24] = b"__CLANG_OFFLOAD_BUNDLE__";
pub(crate) const COMPRESSED: &[u8; 4] = b"CCOB";
/// The size of the largest bundle that is unpacked, in bytes, as the bundle states it.
const UNPACKED: u64 = 4 << 30;
/// The largest number of entries of a bundle, and of bytes of an entry's ID. Larger numbers are
/// faults.
const ENTRIES: u64 = 4096;
/// Linkers put the bundles of a section at multiples of this number of bytes.
const ALIGN: u64 = 4096;

pub(crate) fn is_one(head: &[u8]) -> bool {
    head.starts_with(PLAIN) || head.starts_with(COMPRESSED)
}

/// Reads all bundles of a section or a file. `place` is the place of the section in the file.
/// `split` is true if the code was moved to a `.kpack` file. An empty section is then no fault.
pub(crate) fn read(
    file: &mut File,
    part: BytePart<'_>,
    place: &str,
    split: bool,
) -> Result<(), Wrong> {
    let mut at = 0;
    let mut any = split;
    while let Some(start) = padding(part, at) {
        let place = within(place, format_args!("byte {start}"));
        let rest = part.from(start);
        let size = match rest.head(24) {
            head if head.starts_with(COMPRESSED) => compressed(file, rest, &place),
            head if head == PLAIN => plain(file, rest, &place),
            _ => Err(Wrong::damaged("neither a bundle nor padding")),
        };
        any = true;
        // After a damaged bundle, the next bundle is looked for.
        at = start.saturating_add(size.unwrap_or_else(|wrong| {
            file.fault(&place, wrong);
            next(rest)
        }));
    }
    any.then_some(()).ok_or(Wrong::Empty)
}

/// Returns the offset of the first byte from `at` on that is not 0, or `None` if all are 0.
fn padding(part: BytePart<'_>, at: u64) -> Option<u64> {
    let mut bytes = BufReader::new(part.from(at)).bytes();
    bytes
        .position(|byte| byte.is_ok_and(|byte| byte != 0))
        .map(|skipped| at + skipped as u64)
}

/// Returns the offset of the next bundle after the beginning of the part, or the size of the part
/// if no bundle follows.
fn next(part: BytePart<'_>) -> u64 {
    let mut starts = (1..=part.size / ALIGN).map(|page| page * ALIGN);
    let mut magic = [0; 4];
    let is_one = |start: &u64| {
        let read = part.from(*start).read_exact(&mut magic);
        read.is_ok() && (&magic == COMPRESSED || PLAIN.starts_with(&magic))
    };
    starts.find(is_one).unwrap_or(part.size)
}

fn plain(file: &mut File, part: BytePart<'_>, place: &str) -> Result<u64, Wrong> {
    let total = part.size;
    let mut take = |offset: u64, size: u64| {
        let needs = offset.saturating_add(size);
        part.get(offset, size)
            .map(<[u8]>::to_vec)
            .ok_or(Wrong::Cut(needs, total))
    };
    let size = entries(file, &mut take, total, place)?;
    file.packed(Method::Plain, None, size, size);
    Ok(size)
}

/// A function that returns bytes of a bundle, given their offset and their number. The offsets must
/// not decrease from call to call, since the bytes may be unpacked while they are read.
type Take<'t> = dyn FnMut(u64, u64) -> Result<Vec<u8>, Wrong> + 't;

/// Reads a bundle's entries by `take`, and returns the offset of the bundle's end. `total` is the
/// number of the bundle's bytes. Returns an error for an entry that overlaps the data before it or
/// ends behind `total`.
fn entries(file: &mut File, take: &mut Take<'_>, total: u64, place: &str) -> Result<u64, Wrong> {
    let head = take(0, 32)?;
    let count = number(&head, 24, 8);
    if !head.starts_with(PLAIN) || count > ENTRIES {
        return Err(Wrong::damaged("not a bundle, or too many entries"));
    }
    let spot = |entry: usize| within(place, format_args!("entry {entry}"));
    let (mut end, mut ids, mut found) = (32, BTreeSet::new(), Vec::new());
    for entry in 0..usize::try_from(count).unwrap_or_default() {
        let row = take(end, 24)?;
        let (offset, size, length) = (number(&row, 0, 8), number(&row, 8, 8), number(&row, 16, 8));
        if length > ENTRIES {
            return Err(Wrong::damaged("the ID of an entry is too long"));
        }
        let id = String::from_utf8_lossy(&take(end + 24, length)?).into_owned();
        end += 24 + length;
        found.push((offset, size, entry, target::of_entry(&id)));
        if !ids.insert(id.clone()) {
            file.fault(
                &spot(entry),
                Wrong::damaged(format!("duplicate entry `{id}`")),
            );
        }
    }
    found.sort_unstable();
    if found.iter().all(|(_, _, _, target)| target.is_none()) {
        file.fault(place, Wrong::Empty);
    }
    for (offset, size, entry, target) in found {
        let needs = offset.saturating_add(size);
        if needs > total {
            return Err(Wrong::Cut(needs, total));
        }
        if let Some(target) = target {
            if size > 0 && offset < end {
                return Err(Wrong::damaged("an entry overlaps the data before it"));
            }
            let head = take(offset, size.min(64))?;
            code::read(file, &spot(entry), Some(target), size, &head);
        }
        end = end.max(needs);
    }
    Ok(end)
}

/// Reads a compressed bundle, and returns its size in the section in bytes. The bundle is unpacked
/// to its end, since the checksum is over all its bytes.
fn compressed(file: &mut File, part: BytePart<'_>, place: &str) -> Result<u64, Wrong> {
    let head = part.head(32);
    let version = number(head, 4, 2);
    // The stored size, the unpacked size, the checksum, and the length of the header. Version 1
    // does not state the stored size.
    let (stored, declared, sum, length) = match version {
        1 => (next(part), number(head, 8, 4), number(head, 12, 8), 20),
        2 => (
            number(head, 8, 4),
            number(head, 12, 4),
            number(head, 16, 8),
            24,
        ),
        3 => (
            number(head, 8, 8),
            number(head, 16, 8),
            number(head, 24, 8),
            32,
        ),
        _ => {
            return Err(Wrong::unread(format!(
                "unsupported version {version} of compressed bundles"
            )));
        }
    };
    let packed = stored
        .checked_sub(length)
        .and_then(|size| part.cut(length, size));
    let packed = packed.ok_or(Wrong::Cut(stored.max(length), part.size))?;
    let method = match number(head, 6, 2) {
        0 => Method::Zlib,
        1 => Method::Zstd,
        other => {
            return Err(Wrong::unread(format!(
                "unsupported compression method {other}"
            )));
        }
    };
    file.packed(method, u16::try_from(version).ok(), stored, declared);
    if declared > UNPACKED || !file.may_unpack(declared) {
        file.fault(
            place,
            Wrong::unread(format!("too large: it would unpack to {declared} bytes")),
        );
    } else if let Err(wrong) = unpack(file, packed, method, (declared, sum), place) {
        file.fault(place, wrong);
    }
    Ok(stored)
}

fn unpack(
    file: &mut File,
    packed: BytePart<'_>,
    method: Method,
    (declared, sum): (u64, u64),
    place: &str,
) -> Result<(), Wrong> {
    let reader = BufReader::with_capacity(1 << 16, packed);
    let reader: Box<dyn Read + '_> = match method {
        Method::Zstd => {
            let mut decoder = zstd::Decoder::with_buffer(reader)
                .map_err(Wrong::damaged)?
                .single_frame();
            decoder
                .window_log_max(WINDOW.ilog2())
                .map_err(Wrong::damaged)?;
            Box::new(decoder)
        }
        _ => Box::new(flate2::bufread::ZlibDecoder::new(reader)),
    };
    let mut stream = Stream {
        reader,
        at: 0,
        sum: Md5::new(),
    };
    let read = entries(
        file,
        &mut |offset, size| stream.take(offset, size, declared),
        declared,
        place,
    );
    // A bundle that can't be unpacked is a more precise fault than a missing entry, so it is
    // reported first.
    stream.forward(declared.saturating_add(1))?;
    read?;
    if stream.at != declared {
        return Err(Wrong::damaged(format!(
            "it unpacks to {} bytes, but states {declared}",
            stream.at
        )));
    }
    // The checksum is the lower half of the MD5.
    (number(&stream.sum.finalize(), 0, 8) == sum)
        .then_some(())
        .ok_or(Wrong::damaged(
            "the unpacked bytes do not match the stated checksum",
        ))
}

/// A stream of unpacked bytes, whose checksum is computed while they are read.
struct Stream<'r> {
    reader: Box<dyn Read + 'r>,
    at: u64,
    sum: Md5,
}

impl Stream<'_> {
    fn take(&mut self, offset: u64, size: u64, declared: u64) -> Result<Vec<u8>, Wrong> {
        self.forward(offset)?;
        let mut bytes = Vec::new();
        self.reader
            .by_ref()
            .take(size)
            .read_to_end(&mut bytes)
            .map_err(Wrong::damaged)?;
        self.sum.update(&bytes);
        self.at += bytes.len() as u64;
        let whole = bytes.len() as u64 == size;
        whole.then_some(bytes).ok_or(Wrong::damaged(format!(
            "it unpacks to {} bytes, but states {declared}",
            self.at
        )))
    }

    /// Reads and discards bytes up to the offset `to`, or to the end of the data.
    fn forward(&mut self, to: u64) -> Result<(), Wrong> {
        let mut buffer = [0; 1 << 14];
        while self.at < to {
            let most = usize::try_from(to - self.at)
                .unwrap_or(usize::MAX)
                .min(buffer.len());
            match self
                .reader
                .read(&mut buffer[..most])
                .map_err(Wrong::damaged)?
            {
                0 => break,
                read => {
                    self.sum.update(&buffer[..read]);
                    self.at += read as u64;
                }
            }
        }
        Ok(())
    }
}
