//! Reads parts of files or of memory at given offsets. Mapping a file into memory would need
//! `unsafe`, and reading only the headers is as fast.

use object::read::{ReadCache, ReadRef};
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

/// The largest amount of data that unpacking keeps in memory, in bytes. It is the largest distance
/// that compressed data may refer back.
pub const WINDOW: u64 = 1 << 30;
/// The size of the largest table in a file that is read, in bytes. No real table is larger.
const TABLE: u64 = 64 << 20;

#[derive(Clone, Copy)]
enum ByteSource<'d> {
    Memory(&'d [u8]),
    File(&'d fs::File, &'d ReadCache<&'d fs::File>),
}

/// A range of bytes of a file or of memory. Its [`ReadRef`] is for headers, and keeps a copy of
/// what it reads. Its [`Read`] reads from the beginning on, and keeps no copy.
#[derive(Clone, Copy)]
pub(crate) struct BytePart<'d> {
    source: ByteSource<'d>,
    start: u64,
    pub(crate) size: u64,
}

/// Calls `look` with the content of a file, and returns the result of `look`.
pub(crate) fn of_file<T>(file: &fs::File, look: impl FnOnce(BytePart<'_>) -> T) -> io::Result<T> {
    let size = file.metadata()?.len();
    Ok(look(BytePart {
        source: ByteSource::File(file, &ReadCache::new(file)),
        start: 0,
        size,
    }))
}

impl<'d> BytePart<'d> {
    pub(crate) fn of(bytes: &'d [u8]) -> Self {
        Self {
            source: ByteSource::Memory(bytes),
            start: 0,
            size: bytes.len() as u64,
        }
    }

    /// Returns the `size` bytes from `offset` on, or `None` if they would end behind the end of
    /// this part.
    pub(crate) fn cut(self, offset: u64, size: u64) -> Option<Self> {
        let inside = offset.checked_add(size).is_some_and(|end| end <= self.size);
        inside.then(|| Self {
            start: self.start + offset,
            size,
            ..self
        })
    }

    /// Returns the rest of the part from `offset` on. The rest is empty if the part ends before.
    pub(crate) fn from(self, offset: u64) -> Self {
        let offset = offset.min(self.size);
        Self {
            start: self.start + offset,
            size: self.size - offset,
            ..self
        }
    }

    /// Calls `look` with the part and an empty cache, which is dropped afterwards. The cached
    /// copies for all members of a library would need much memory.
    pub(crate) fn alone(self, look: impl FnOnce(BytePart<'_>)) {
        match self.source {
            ByteSource::Memory(_) => look(self),
            ByteSource::File(file, _) => look(BytePart {
                source: ByteSource::File(file, &ReadCache::new(file)),
                ..self
            }),
        }
    }

    pub(crate) fn get(self, offset: u64, size: u64) -> Option<&'d [u8]> {
        self.read_bytes_at(offset, size).ok()
    }

    /// Returns the first `size` bytes, or all bytes if there are fewer.
    pub(crate) fn head(self, size: u64) -> &'d [u8] {
        self.get(0, size.min(self.size)).unwrap_or_default()
    }
}

impl<'d> ReadRef<'d> for BytePart<'d> {
    fn len(self) -> Result<u64, ()> {
        Ok(self.size)
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'d [u8], ()> {
        let part = self.cut(offset, size).filter(|_| size <= TABLE).ok_or(())?;
        match part.source {
            ByteSource::Memory(bytes) => bytes.read_bytes_at(part.start, size),
            ByteSource::File(_, cache) => cache.read_bytes_at(part.start, size),
        }
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'d [u8], ()> {
        let size = range.end.checked_sub(range.start).ok_or(())?;
        let part = self.cut(range.start, size).ok_or(())?;
        let range = part.start..part.start + size.min(4096);
        match part.source {
            ByteSource::Memory(bytes) => bytes.read_bytes_at_until(range, delimiter),
            ByteSource::File(_, cache) => cache.read_bytes_at_until(range, delimiter),
        }
    }
}

impl Read for BytePart<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.size)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let read = match self.source {
            ByteSource::Memory(bytes) => {
                let from = usize::try_from(self.start).map_err(io::Error::other)?;
                io::Read::read(&mut &bytes[from..], &mut buffer[..most])?
            }
            ByteSource::File(mut file, _) => {
                file.seek(SeekFrom::Start(self.start))?;
                file.read(&mut buffer[..most])?
            }
        };
        *self = self.from(read as u64);
        Ok(read)
    }
}

impl rawzip::ReaderAt for BytePart<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        io::Read::read(&mut self.from(offset), buffer)
    }
}

/// Returns the little-endian number in the `size` bytes from `at` on, or 0 if there are fewer
/// bytes. `size` is at most 8.
pub(crate) fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    let bytes = bytes.get(at..at + size).unwrap_or_default();
    bytes
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}
