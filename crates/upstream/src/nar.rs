//! Nix's hash of a folder: SHA-256 of its archive (NAR), from tar streams as git makes them, without unpacking them to disk.
//!
//! The format: Eelco Dolstra, *The Purely Functional Software Deployment Model*, figure 5.2.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use tar::{Archive, EntryType};

/// What is at a path.
enum Node {
    /// A file: where its bytes are in the spool.
    File {
        executable: bool,
        at: u64,
        size: u64,
    },
    /// A symbolic link.
    Link(Vec<u8>),
    Folder(Names),
}

/// Ordered by bytes, as Nix orders them.
type Names = BTreeMap<Vec<u8>, Node>;

/// A folder that is put together from archives.
pub(crate) struct Folder {
    root: Names,
    /// The bytes of its files, one behind the other.
    spool: File,
    end: u64,
}

impl Folder {
    /// An empty folder; the bytes of its files will be in `spool`.
    pub(crate) fn new(spool: File) -> Self {
        Self { root: Names::new(), spool, end: 0 }
    }

    /// Puts what an archive holds below a path; at the top where that is empty.
    pub(crate) fn add(&mut self, below: &[u8], from: impl Read) -> io::Result<()> {
        let mut archive = Archive::new(from);
        for entry in archive.entries()? {
            let mut entry = entry?;
            let path = entry.path_bytes().into_owned();
            let node = match entry.header().entry_type() {
                // It tells the commit.
                EntryType::XGlobalHeader => continue,
                EntryType::Directory => Node::Folder(Names::new()),
                EntryType::Symlink => Node::Link(entry.link_name_bytes().unwrap_or_default().into_owned()),
                EntryType::Regular => {
                    let (at, executable) = (self.end, entry.header().mode()? & 0o100 != 0);
                    let size = io::copy(&mut entry, &mut self.spool)?;
                    self.end += size;
                    if size != entry.size() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    Node::File { executable, at, size }
                }
                other => return Err(strange(&format!("an entry of the kind {other:?}"))),
            };
            self.put(below, &path, node)?;
        }
        // What is left fills the last record.
        io::copy(&mut archive.into_inner(), &mut io::sink()).map(|_| ())
    }

    fn put(&mut self, below: &[u8], path: &[u8], node: Node) -> io::Result<()> {
        let parts = below.split(|b| *b == b'/').chain(path.split(|b| *b == b'/'));
        let parts: Vec<&[u8]> = parts.filter(|part| !part.is_empty()).collect();
        let Some((last, above)) = parts.split_last() else { return Ok(()) };
        if parts.iter().any(|part| *part == b"." || *part == b"..") {
            return Err(strange("a path that leads outside"));
        }
        let mut at = &mut self.root;
        for part in above {
            match at.entry(part.to_vec()).or_insert_with(|| Node::Folder(Names::new())) {
                Node::Folder(names) => at = names,
                _ => return Err(strange("a path below a file")),
            }
        }
        match (at.get(*last), &node) {
            (None, _) => {
                at.insert(last.to_vec(), node);
            }
            (Some(Node::Folder(_)), Node::Folder(_)) => {}
            _ => return Err(strange("a path twice")),
        }
        Ok(())
    }

    /// The hash in Nix's form (SRI).
    pub(crate) fn sri(&mut self) -> io::Result<String> {
        let mut out = Hashed(Sha256::new());
        text(&mut out, b"nix-archive-1")?;
        folder(&mut out, &self.root, &mut self.spool)?;
        Ok(sri(&out.0.finalize()))
    }
}

/// A SHA-256 in Nix's form.
pub(crate) fn sri(digest: &[u8]) -> String {
    format!("sha256-{}", STANDARD.encode(digest))
}

/// A hash that is written to.
struct Hashed(Sha256);

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A string of the format: its length, its bytes, and zeros up to a multiple of eight.
fn text(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(&(bytes.len() as u64).to_le_bytes())?;
    out.write_all(bytes)?;
    fill(out, bytes.len() as u64)
}

fn fill(out: &mut impl Write, length: u64) -> io::Result<()> {
    let zeros = usize::try_from((8 - length % 8) % 8).unwrap_or_default();
    out.write_all(&[0; 8][..zeros])
}

fn texts(out: &mut impl Write, all: &[&[u8]]) -> io::Result<()> {
    all.iter().try_for_each(|bytes| text(out, bytes))
}

fn folder(out: &mut impl Write, names: &Names, spool: &mut File) -> io::Result<()> {
    texts(out, &[b"(", b"type", b"directory"])?;
    for (name, node) in names {
        texts(out, &[b"entry", b"(", b"name", name, b"node"])?;
        match node {
            Node::Folder(names) => folder(out, names, spool)?,
            Node::Link(target) => texts(out, &[b"(", b"type", b"symlink", b"target", target, b")"])?,
            Node::File { executable, at, size } => {
                texts(out, &[b"(", b"type", b"regular"])?;
                if *executable {
                    texts(out, &[b"executable", b""])?;
                }
                text(out, b"contents")?;
                out.write_all(&size.to_le_bytes())?;
                spool.seek(SeekFrom::Start(*at))?;
                if io::copy(&mut spool.take(*size), out)? != *size {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                fill(out, *size)?;
                text(out, b")")?;
            }
        }
        text(out, b")")?;
    }
    text(out, b")")
}

fn strange(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("git's archive holds {what}"))
}
