//! Offload bundles, plain and compressed, one behind the other.
//!
//! Sources: LLVM's "Clang Offload Bundler" (the layouts), `clang/lib/Driver/OffloadBundler.cpp` (the sum, the three headers).

use crate::bytes::{Part, number};
use crate::file::Report;
use crate::{Method, Packing, Place, Wrong, elf, target};
use md5::{Digest, Md5};
use std::collections::BTreeSet;
use std::io::{BufReader, Read};

pub(crate) const PLAIN: &[u8; 24] = b"__CLANG_OFFLOAD_BUNDLE__";
pub(crate) const COMPRESSED: &[u8; 4] = b"CCOB";
/// A compressed bundle that says it is larger is not unpacked.
pub const DECLARED: u64 = 4 << 30;
/// The most that unpacking keeps in memory: how far back zstd may refer.
pub const WINDOW: u64 = 1 << 30;
/// No more entries, nor bytes of an entry's ID, are believed.
const ENTRIES: u64 = 4096;
/// Linkers put the bundles of a section at multiples of it.
const ALIGN: u64 = 4096;

/// Reads all bundles of a section or a file. A section whose code was split off is empty, and that is no fault.
pub(crate) fn section(report: &mut Report, part: Part<'_>, place: &Place, split: bool) {
    let mut at = 0;
    let mut any = false;
    while let Some(start) = padding(part, at) {
        let place = Place { offset: place.offset + start, ..place.clone() };
        let rest = part.from(start);
        let head = rest.head(24);
        let size = if head == PLAIN {
            plain(report, rest, &place)
        } else if head.starts_with(COMPRESSED) {
            compressed(report, rest, &place)
        } else {
            report.fault(&place, Wrong::malformed("neither a bundle nor padding"));
            None
        };
        any = true;
        // Behind what is damaged, the next one is looked for.
        at = start.saturating_add(size.unwrap_or_else(|| next(rest)));
    }
    if !any && !split {
        report.fault(place, Wrong::Empty);
    }
}

/// The first byte from there on that is not 0.
fn padding(part: Part<'_>, at: u64) -> Option<u64> {
    let mut reader = BufReader::new(part.from(at).reader()).bytes();
    // Most often there is little or nothing between two.
    reader.position(|byte| byte.is_ok_and(|byte| byte != 0)).map(|skipped| at + skipped as u64)
}

/// Where the entries' bytes come from: only ever forward, as they are unpacked.
trait Ahead {
    fn take(&mut self, offset: u64, size: usize) -> Result<Vec<u8>, Wrong>;
}

impl Ahead for Part<'_> {
    fn take(&mut self, offset: u64, size: usize) -> Result<Vec<u8>, Wrong> {
        let bytes = self.get(offset, size as u64);
        bytes
            .map(<[u8]>::to_vec)
            .ok_or(Wrong::Cut { needs: offset.saturating_add(size as u64), has: self.size })
    }
}

fn plain(report: &mut Report, mut part: Part<'_>, place: &Place) -> Option<u64> {
    let total = part.size;
    match entries(report, &mut part, total, place) {
        Ok(end) => {
            let size = end.unwrap_or(0);
            report.packed(Packing { method: Method::Plain, version: None, bundles: 1, stored: size, size });
            end
        }
        Err(wrong) => {
            report.fault(place, wrong);
            None
        }
    }
}

/// Reads a bundle's entries. Returns where it ends, unless they are wrong about where they stand.
fn entries(
    report: &mut Report,
    from: &mut dyn Ahead,
    total: u64,
    place: &Place,
) -> Result<Option<u64>, Wrong> {
    let head = from.take(0, 32)?;
    if !head.starts_with(PLAIN) {
        return Err(Wrong::malformed("what is packed is no bundle"));
    }
    let count = number(&head, 24, 8);
    if count > ENTRIES {
        return Err(Wrong::malformed(format!("a bundle of {count} entries")));
    }
    let (mut at, mut ids, mut found) = (32, BTreeSet::new(), Vec::new());
    for entry in 0..usize::try_from(count).unwrap_or_default() {
        let row = from.take(at, 24)?;
        let (offset, size, length) = (number(&row, 0, 8), number(&row, 8, 8), number(&row, 16, 8));
        if length > ENTRIES {
            return Err(Wrong::malformed(format!("an entry's ID of {length} bytes")));
        }
        let id = from.take(at + 24, usize::try_from(length).unwrap_or_default())?;
        at += 24 + length;
        let id = String::from_utf8_lossy(&id).into_owned();
        found.push((offset, size, entry, target::of_entry(&id)));
        if !ids.insert(id.clone()) {
            report.fault(&Place { entry: Some(entry), ..place.clone() }, Wrong::Twice { id });
        }
    }
    found.sort_unstable();
    if found.iter().all(|(_, _, _, target)| target.is_none()) {
        report.fault(place, Wrong::Empty);
    }
    let (mut end, mut is_lost) = (at, false);
    for (offset, size, entry, target) in found {
        let place = Place { entry: Some(entry), ..place.clone() };
        let needs = offset.saturating_add(size);
        if needs > total {
            report.fault(&place, Wrong::Cut { needs, has: total });
            is_lost = true;
            continue;
        }
        if let Some(target) = target {
            if size > 0 && offset < end {
                report.fault(&place, Wrong::Overlap);
                is_lost = true;
                continue;
            }
            let head = from.take(offset, usize::try_from(size.min(64)).unwrap_or_default())?;
            elf::code(report, &place, Some(target), size, &head);
        }
        end = end.max(needs);
    }
    Ok((!is_lost).then_some(end))
}

/// Returns how many bytes it takes in the section. It is unpacked to its end, since its sum says whether it is whole.
fn compressed(report: &mut Report, part: Part<'_>, place: &Place) -> Option<u64> {
    let head = part.head(32);
    let version = number(head, 4, 2);
    // Where the three numbers stand: the size as stored, the size unpacked, the sum.
    let (stored, declared, sum, length) = match version {
        1 => (next(part), number(head, 8, 4), number(head, 12, 8), 20),
        2 => (number(head, 8, 4), number(head, 12, 4), number(head, 16, 8), 24),
        3 => (number(head, 8, 8), number(head, 16, 8), number(head, 24, 8), 32),
        _ => {
            report.fault(place, Wrong::Unread { what: format!("a compressed bundle of version {version}") });
            return None;
        }
    };
    let method = match number(head, 6, 2) {
        0 => Method::Zlib,
        1 => Method::Zstd,
        other => {
            report.fault(place, Wrong::Unread { what: format!("a bundle compressed by method {other}") });
            return Some(stored);
        }
    };
    let Some(packed) = stored.checked_sub(length).and_then(|size| part.cut(length, size)) else {
        report.fault(place, Wrong::Cut { needs: stored.max(length), has: part.size });
        return None;
    };
    report.packed(Packing {
        method,
        version: u16::try_from(version).ok(),
        bundles: 1,
        stored,
        size: declared,
    });
    if let Err(wrong) = unpack(report, packed, method, declared, sum, place) {
        report.fault(place, wrong);
    }
    Some(stored)
}

/// Where the next bundle begins, or the part ends: the first version of the header doesn't say how long the bundle is.
fn next(part: Part<'_>) -> u64 {
    let starts = (1..=part.size / ALIGN).map(|page| page * ALIGN);
    let mut magic = [0; 4];
    let mut starts = starts.filter(|start| {
        part.from(*start).reader().read_exact(&mut magic).is_ok()
            && (&magic == COMPRESSED || PLAIN.starts_with(&magic))
    });
    starts.next().unwrap_or(part.size)
}

fn unpack(
    report: &mut Report,
    packed: Part<'_>,
    method: Method,
    declared: u64,
    sum: u64,
    place: &Place,
) -> Result<(), Wrong> {
    if !report.may_unpack(declared.min(DECLARED)) || declared > DECLARED {
        return Err(Wrong::Large { declared, most: DECLARED });
    }
    let reader = BufReader::with_capacity(1 << 16, packed.reader());
    let reader: Box<dyn Read + '_> = match method {
        Method::Zstd => {
            let decoder = ruzstd::decoding::StreamingDecoder::new_with_max_window_size(reader, WINDOW);
            Box::new(decoder.map_err(Wrong::unpack)?)
        }
        _ => Box::new(flate2::bufread::ZlibDecoder::new(reader)),
    };
    let mut stream = Stream { reader, at: 0, declared, sum: Md5::new(), buffer: vec![0; 1 << 16] };
    let read = entries(report, &mut stream, declared, place);
    let rest = stream.forward(declared.saturating_add(1));
    // What is cut or broken can't be unpacked, and that says more than what is missing.
    let broken = rest.as_ref().is_err_and(|wrong| matches!(wrong, Wrong::Unpack { .. }));
    if !broken {
        read?;
    }
    match rest {
        Err(Wrong::Cut { has, .. }) if has == declared => {}
        Err(Wrong::Cut { has: size, .. }) => return Err(Wrong::Size { declared, size }),
        Err(wrong) => return Err(wrong),
        Ok(()) => return Err(Wrong::Size { declared, size: stream.at }),
    }
    // The sum is the lower half of the MD5.
    let is_same = number(&stream.sum.finalize(), 0, 8) == sum;
    is_same.then_some(()).ok_or(Wrong::Hash)
}

/// What is unpacked, summed up on its way.
struct Stream<'r> {
    reader: Box<dyn Read + 'r>,
    at: u64,
    declared: u64,
    sum: Md5,
    buffer: Vec<u8>,
}

impl Stream<'_> {
    /// Goes on to that byte.
    fn forward(&mut self, to: u64) -> Result<(), Wrong> {
        while self.at < to {
            let most = usize::try_from(to - self.at).unwrap_or(usize::MAX).min(self.buffer.len());
            match self.reader.read(&mut self.buffer[..most]).map_err(Wrong::unpack)? {
                0 => return Err(Wrong::Cut { needs: to, has: self.at }),
                read => {
                    self.sum.update(&self.buffer[..read]);
                    self.at += read as u64;
                }
            }
        }
        Ok(())
    }
}

impl Ahead for Stream<'_> {
    fn take(&mut self, offset: u64, size: usize) -> Result<Vec<u8>, Wrong> {
        let needs = offset.saturating_add(size as u64);
        if needs > self.declared {
            return Err(Wrong::Cut { needs, has: self.declared });
        }
        self.forward(offset)?;
        let mut bytes = vec![0; size];
        self.reader.read_exact(&mut bytes).map_err(Wrong::unpack)?;
        self.sum.update(&bytes);
        self.at += size as u64;
        Ok(bytes)
    }
}
