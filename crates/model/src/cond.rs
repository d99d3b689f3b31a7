//! Conditions over features, targets, releases and versions of LLVM: `test & !debug`,
//! `target:gfx942`, `release:>=7.0`, `llvm:>=24`.

use crate::decode::{Decode, wrong_type};
use crate::describe::{Book, Shape};
use crate::finding::{Finding, Findings};
use crate::node::Node;
use crate::source::Span;

/// A condition under which an entry of a profile applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cond {
    /// The feature with this name is on.
    Feature(String),
    /// The package is built for this target.
    Target(String),
    /// The release is in this range, such as `>=7.0`.
    Release(String),
    /// The major version of the LLVM that builds the package is in this range, such as `>=24`.
    Llvm(String),
    /// The inner condition does not hold.
    Not(Box<Cond>),
    /// All of the conditions hold.
    All(Vec<Cond>),
    /// At least one of the conditions holds.
    Any(Vec<Cond>),
}

impl Cond {
    /// Reads a condition such as `test & !debug`. `!` binds tightest, then `&`, then `|`;
    /// parentheses group.
    ///
    /// # Errors
    /// Returns a message with the expected sign or word, such as "expected `)`".
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut p = ConditionReader {
            rest: text,
            depth: 0,
        };
        let cond = p.any()?;
        p.space();
        if !p.rest.is_empty() {
            return Err(format!("expected `&`, `|` or the end before `{}`", p.rest));
        }
        Ok(cond)
    }

    /// Returns the names of all features in the condition.
    pub fn features(&self) -> Vec<&str> {
        self.leaves(&|c| {
            if let Cond::Feature(name) = c {
                Some(name)
            } else {
                None
            }
        })
    }

    /// Returns the names of all targets in the condition.
    pub fn targets(&self) -> Vec<&str> {
        self.leaves(&|c| {
            if let Cond::Target(name) = c {
                Some(name)
            } else {
                None
            }
        })
    }

    /// Returns the features that can make the condition false alone, each with the value that does:
    /// `hipblaslt & !debug` -> (`hipblaslt`, false), (`debug`, true).
    pub fn switches(&self) -> Vec<(&str, bool)> {
        match self {
            Cond::Feature(name) => vec![(name, false)],
            Cond::Not(inner) if matches!(**inner, Cond::Feature(_)) => {
                let all = inner.switches().into_iter();
                all.map(|(name, off)| (name, !off)).collect()
            }
            // One false condition is enough.
            Cond::All(all) => all.iter().flat_map(Cond::switches).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns all ranges of versions of LLVM in the condition.
    pub fn llvms(&self) -> Vec<&str> {
        self.leaves(&|c| {
            if let Cond::Llvm(range) = c {
                Some(range)
            } else {
                None
            }
        })
    }

    /// Returns all ranges of releases in the condition.
    pub fn releases(&self) -> Vec<&str> {
        self.leaves(&|c| {
            if let Cond::Release(range) = c {
                Some(range)
            } else {
                None
            }
        })
    }

    fn leaves<'a>(&'a self, pick: &dyn Fn(&'a Cond) -> Option<&'a String>) -> Vec<&'a str> {
        match self {
            Cond::Not(c) => c.leaves(pick),
            Cond::All(cs) | Cond::Any(cs) => cs.iter().flat_map(|c| c.leaves(pick)).collect(),
            leaf => pick(leaf).map(String::as_str).into_iter().collect(),
        }
    }

    /// Evaluates the condition. `known` returns the values of features, targets and releases, or
    /// `None` if a value is not known. Returns the value of the condition if the known values
    /// decide it.
    ///
    /// # Errors
    /// Returns the rest of the condition that is not decided: `a & b` with `a` true -> `b`.
    pub fn reduce(&self, known: &impl Fn(&Cond) -> Option<bool>) -> Result<bool, Cond> {
        match self {
            Cond::Not(c) => c
                .reduce(known)
                .map(|b| !b)
                .map_err(|c| Cond::Not(Box::new(c))),
            Cond::All(cs) => Self::reduce_group(cs, known, false),
            Cond::Any(cs) => Self::reduce_group(cs, known, true),
            leaf => known(leaf).ok_or_else(|| leaf.clone()),
        }
    }

    fn reduce_group(
        cs: &[Cond],
        known: &impl Fn(&Cond) -> Option<bool>,
        decides: bool,
    ) -> Result<bool, Cond> {
        let mut open = Vec::new();
        for c in cs {
            match c.reduce(known) {
                Ok(b) if b == decides => return Ok(decides),
                Ok(_) => {}
                Err(left) => open.push(left),
            }
        }
        match open.len() {
            0 => Ok(!decides),
            1 => Err(open.remove(0)),
            _ if decides => Err(Cond::Any(open)),
            _ => Err(Cond::All(open)),
        }
    }
}

impl std::fmt::Display for Cond {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let join = |f: &mut std::fmt::Formatter<'_>, cs: &[Cond], sep: &str| {
            for (i, c) in cs.iter().enumerate() {
                if i > 0 {
                    f.write_str(sep)?;
                }
                match c {
                    Cond::Any(_) | Cond::All(_) => write!(f, "({c})")?,
                    _ => write!(f, "{c}")?,
                }
            }
            Ok(())
        };
        match self {
            Cond::Feature(n) => f.write_str(n),
            Cond::Target(n) => write!(f, "target:{n}"),
            Cond::Release(n) => write!(f, "release:{n}"),
            Cond::Llvm(n) => write!(f, "llvm:{n}"),
            Cond::Not(c) if matches!(**c, Cond::Any(_) | Cond::All(_)) => write!(f, "!({c})"),
            Cond::Not(c) => write!(f, "!{c}"),
            Cond::All(cs) => join(f, cs, " & "),
            Cond::Any(cs) => join(f, cs, " | "),
        }
    }
}

struct ConditionReader<'a> {
    rest: &'a str,
    depth: usize,
}

impl ConditionReader<'_> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, token: char) -> bool {
        self.space();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn any(&mut self) -> Result<Cond, String> {
        let mut parts = vec![self.all()?];
        while self.eat('|') {
            parts.push(self.all()?);
        }
        Ok(if parts.len() == 1 {
            parts.remove(0)
        } else {
            Cond::Any(parts)
        })
    }

    fn all(&mut self) -> Result<Cond, String> {
        let mut parts = vec![self.not()?];
        while self.eat('&') {
            parts.push(self.not()?);
        }
        Ok(if parts.len() == 1 {
            parts.remove(0)
        } else {
            Cond::All(parts)
        })
    }

    fn not(&mut self) -> Result<Cond, String> {
        self.depth += 1;
        if self.depth > 32 {
            return Err("expected at most 32 nested levels".into());
        }
        let cond = if self.eat('!') {
            Cond::Not(Box::new(self.not()?))
        } else if self.eat('(') {
            let inner = self.any()?;
            if !self.eat(')') {
                return Err("expected `)`".into());
            }
            inner
        } else {
            self.leaf()?
        };
        self.depth -= 1;
        Ok(cond)
    }

    fn leaf(&mut self) -> Result<Cond, String> {
        self.space();
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-_+.:<>=,*".contains(c)))
            .unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        self.rest = &self.rest[end..];
        match word.split_once(':') {
            _ if word.is_empty() => {
                Err("expected a feature, `target:…`, `release:…` or `llvm:…`".into())
            }
            Some(("target", t)) if !t.is_empty() => Ok(Cond::Target(t.into())),
            Some(("release", r)) if !r.is_empty() => Ok(Cond::Release(r.into())),
            Some(("llvm", r)) if !r.is_empty() => Ok(Cond::Llvm(r.into())),
            Some((other, _)) => Err(format!(
                "expected `target:`, `release:` or `llvm:`, not `{other}:`"
            )),
            None => Ok(Cond::Feature(word.into())),
        }
    }
}

/// A condition and its place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct When {
    /// The condition.
    pub cond: Cond,
    /// The place of the condition in its file.
    pub span: Span,
}

impl Decode for When {
    const EXPECTED: &'static str = "a condition such as `test & !debug`";
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        let Some(text) = node.text() else {
            return wrong_type(node, findings);
        };
        match Cond::parse(text) {
            Ok(cond) => Some(When {
                cond,
                span: node.span,
            }),
            Err(e) => {
                let finding =
                    Finding::error("E0116", node.span, "this condition can't be read").label(e);
                let signs = text
                    .replace(" and ", " & ")
                    .replace(" or ", " | ")
                    .replace("not ", "!");
                findings.push(if signs != text && Cond::parse(&signs).is_ok() {
                    finding.hint(format!("write `{signs}`"))
                } else {
                    finding
                });
                None
            }
        }
    }

    fn shape(_: &mut Book) -> Shape {
        Shape::Text("condition")
    }
}

/// Reads a condition such as `test & !debug`. The result has no place in a file.
impl std::str::FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Cond::parse(text).map(|cond| Self {
            cond,
            span: Span::default(),
        })
    }
}
