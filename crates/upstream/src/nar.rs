//! Nix's hash of a folder: SHA-256 of its archive (NAR), from tar streams as git makes them, without unpacking them to disk.
//!
//! The format: Eelco Dolstra, *The Purely Functional Software Deployment Model*, figure 5.2.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// A tar archive has blocks of so many bytes.
const BLOCK: usize = 512;

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
    pub(crate) fn add(&mut self, below: &[u8], mut tar: impl Read) -> io::Result<()> {
        let mut extended = Extended::default();
        let mut block = [0; BLOCK];
        loop {
            tar.read_exact(&mut block)?;
            if block.iter().all(|b| *b == 0) {
                // What is left fills the last record.
                io::copy(&mut tar, &mut io::sink())?;
                return Ok(());
            }
            let size = extended.size.take().map_or_else(|| octal(&block[124..136]), Ok)?;
            let mut content = (&mut tar).take(size);
            match block[156] {
                b'g' => {
                    io::copy(&mut content, &mut io::sink())?;
                }
                b'x' => {
                    let mut text = Vec::new();
                    content.read_to_end(&mut text)?;
                    extended = Extended::read(&text)?;
                }
                kind => {
                    let said = std::mem::take(&mut extended);
                    let path = said.path.unwrap_or_else(|| path(&block));
                    let node = match kind {
                        b'5' => Node::Folder(Names::new()),
                        b'2' => Node::Link(said.link.unwrap_or_else(|| until_nul(&block[157..257]).to_vec())),
                        b'0' => {
                            let at = self.end;
                            self.end += io::copy(&mut content, &mut self.spool)?;
                            Node::File {
                                executable: octal(&block[100..108])? & 0o100 != 0,
                                at,
                                size: self.end - at,
                            }
                        }
                        other => return Err(strange(&format!("an entry of the kind {other}"))),
                    };
                    if content.limit() != 0 {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    self.put(below, &path, node)?;
                }
            }
            let padding = (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64;
            if io::copy(&mut (&mut tar).take(padding), &mut io::sink())? != padding {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
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

/// What a header before the one of an entry says of it (POSIX, pax interchange format).
#[derive(Default)]
struct Extended {
    path: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
}

impl Extended {
    /// Records of the form `LENGTH KEY=VALUE\n`, where the length is that of the whole record.
    fn read(mut text: &[u8]) -> io::Result<Self> {
        let mut out = Self::default();
        while !text.is_empty() {
            let bad = || strange("an extended header that can't be read");
            let blank = text.iter().position(|b| *b == b' ').ok_or_else(bad)?;
            let length: usize =
                std::str::from_utf8(&text[..blank]).ok().and_then(|n| n.parse().ok()).ok_or_else(bad)?;
            let record = text.get(blank + 1..length.saturating_sub(1)).ok_or_else(bad)?;
            let equals = record.iter().position(|b| *b == b'=').ok_or_else(bad)?;
            let value = record[equals + 1..].to_vec();
            match &record[..equals] {
                b"path" => out.path = Some(value),
                b"linkpath" => out.link = Some(value),
                b"size" => out.size = Some(String::from_utf8_lossy(&value).parse().map_err(|_| bad())?),
                _ => {}
            }
            text = &text[length..];
        }
        Ok(out)
    }
}

/// The path of an entry: what is before the name, and the name.
fn path(block: &[u8; BLOCK]) -> Vec<u8> {
    let (before, name) = (until_nul(&block[345..500]), until_nul(&block[..100]));
    if before.is_empty() { name.to_vec() } else { [before, name].join(&b'/') }
}

fn until_nul(field: &[u8]) -> &[u8] {
    field.split(|b| *b == 0).next().unwrap_or_default()
}

fn octal(field: &[u8]) -> io::Result<u64> {
    let text = String::from_utf8_lossy(until_nul(field)).trim().to_owned();
    u64::from_str_radix(&text, 8).map_err(|_| strange("a number that can't be read"))
}

fn strange(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("git's archive holds {what}"))
}
