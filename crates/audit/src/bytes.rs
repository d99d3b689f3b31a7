//! Bytes that are read where they are asked for. Mapping a file would need `unsafe`, and reading headers alone is as quick.

use object::read::{ReadCache, ReadRef};
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

/// No table of a file is larger; what is, is a lie.
const MOST: u64 = 64 << 20;

#[derive(Clone, Copy)]
pub(crate) enum Source<'d> {
    Memory(&'d [u8]),
    File(&'d fs::File, &'d ReadCache<&'d fs::File>),
}

/// A part of a file or of memory. As a [`ReadRef`] it is for headers, of which a copy is kept; [`Part::reader`] keeps none.
#[derive(Clone, Copy)]
pub(crate) struct Part<'d> {
    source: Source<'d>,
    start: u64,
    pub(crate) size: u64,
}

impl<'d> Part<'d> {
    pub(crate) fn new(source: Source<'d>, size: u64) -> Self {
        Self { source, start: 0, size }
    }

    /// Some of it; none where it ends behind its end.
    pub(crate) fn cut(self, offset: u64, size: u64) -> Option<Self> {
        let inside = offset.checked_add(size).is_some_and(|end| end <= self.size);
        inside.then(|| Self { start: self.start + offset, size, ..self })
    }

    /// What is left from there on.
    pub(crate) fn from(self, offset: u64) -> Self {
        let offset = offset.min(self.size);
        Self { start: self.start + offset, size: self.size - offset, ..self }
    }

    /// Has it looked at with copies of its own, which are gone afterwards: those of all members of a library would be much.
    pub(crate) fn alone(self, look: impl FnOnce(Part<'_>)) {
        match self.source {
            Source::Memory(_) => look(self),
            Source::File(file, _) => look(Part { source: Source::File(file, &ReadCache::new(file)), ..self }),
        }
    }

    pub(crate) fn get(self, offset: u64, size: u64) -> Option<&'d [u8]> {
        self.read_bytes_at(offset, size).ok()
    }

    /// Its first bytes, as many as there are.
    pub(crate) fn head(self, size: u64) -> &'d [u8] {
        self.get(0, size.min(self.size)).unwrap_or_default()
    }

    pub(crate) fn reader(self) -> Reader<'d> {
        Reader { part: self, at: 0 }
    }

    fn read_at(self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = self.size.saturating_sub(offset).min(buffer.len() as u64);
        let Ok(left @ 1..) = usize::try_from(left) else { return Ok(0) };
        match self.source {
            Source::Memory(bytes) => {
                let start = usize::try_from(self.start + offset).map_err(io::Error::other)?;
                buffer[..left].copy_from_slice(&bytes[start..start + left]);
                Ok(left)
            }
            Source::File(mut file, _) => {
                file.seek(SeekFrom::Start(self.start + offset))?;
                file.read(&mut buffer[..left])
            }
        }
    }
}

#[allow(clippy::result_unit_err, reason = "what the trait asks for")]
impl<'d> ReadRef<'d> for Part<'d> {
    fn len(self) -> Result<u64, ()> {
        Ok(self.size)
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'d [u8], ()> {
        let part = self.cut(offset, size).filter(|_| size <= MOST).ok_or(())?;
        match part.source {
            Source::Memory(bytes) => bytes.read_bytes_at(part.start, size),
            Source::File(_, cache) => cache.read_bytes_at(part.start, size),
        }
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'d [u8], ()> {
        let size = range.end.checked_sub(range.start).ok_or(())?;
        let part = self.cut(range.start, size).ok_or(())?;
        let range = part.start..part.start + size.min(4096);
        match part.source {
            Source::Memory(bytes) => bytes.read_bytes_at_until(range, delimiter),
            Source::File(_, cache) => cache.read_bytes_at_until(range, delimiter),
        }
    }
}

impl rawzip::ReaderAt for Part<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        Part::read_at(*self, buffer, offset)
    }
}

/// Reads a part from its beginning.
pub(crate) struct Reader<'d> {
    part: Part<'d>,
    at: u64,
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.part.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// A little-endian number of 2, 4 or 8 bytes; 0 where there are fewer.
pub(crate) fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    bytes.get(at..at + size).unwrap_or_default().iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}
