//! Templates: minijinja set up so that no plain string reaches an output unquoted.

use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value};
use std::collections::BTreeMap;
use std::io;

/// The templates of all backends.
#[derive(Debug)]
pub struct Templates {
    env: Environment<'static>,
}

/// A template that can't be read or filled in.
#[derive(Debug, thiserror::Error)]
#[error("template {name}: {reason}")]
pub struct TemplateError {
    /// The template.
    pub name: String,
    /// What is wrong, with the line where it is known.
    pub reason: String,
}

/// The longest template, in bytes; ours are below 8,000. The parser counts columns in 16 bits.
const LONGEST: usize = 60_000;
/// The longest tag, in bytes: the parser calls itself for what stands in each other.
const LONGEST_TAG: usize = 500;
/// The statements that lay out. With `with`, `set` or a macro a text could be doubled by each line.
const STATEMENTS: [&str; 6] = ["if", "elif", "else", "endif", "for", "endfor"];
/// The most steps that filling in a template may take; ours take some hundred.
const MOST_STEPS: u64 = 1_000_000;
/// The most that a template may print, in bytes.
const MOST_PRINTED: usize = 16 * 1024 * 1024;

impl Templates {
    /// Takes templates by path (`gentoo/ebuild.j2`).
    ///
    /// The folder decides the language: `nix/` quotes for Nix, a name with `.xml` for XML, all else for bash.
    ///
    /// A template may come from a stranger. It lays out what it is given, in so many steps, and keeps nothing: a variable could be
    /// doubled by each line.
    ///
    /// # Errors
    /// When one of them is not a template, or holds what none needs.
    pub fn new(texts: &BTreeMap<String, String>) -> Result<Self, TemplateError> {
        let mut env = Environment::empty();
        env.set_undefined_behavior(UndefinedBehavior::Strict);
        env.set_trim_blocks(true);
        env.set_lstrip_blocks(true);
        env.set_keep_trailing_newline(true);
        env.set_auto_escape_callback(|name| {
            if name.contains(".xml") {
                AutoEscape::Html
            } else if name.starts_with("nix/") {
                AutoEscape::Custom("nix")
            } else {
                AutoEscape::Custom("bash")
            }
        });
        env.set_formatter(format);
        env.add_filter("length", |v: Value| v.len());
        env.add_test("defined", |v: Value| !v.is_undefined());
        env.set_fuel(Some(MOST_STEPS));
        for (name, text) in texts {
            refuse(name, text)?;
            env.add_template_owned(name.clone(), text.clone()).map_err(|e| wrap(name, &e))?;
        }
        Ok(Self { env })
    }

    /// Fills in a template.
    ///
    /// # Errors
    /// When it is not known, or asks for what is not there, or prints a list.
    pub fn render(&self, name: &str, context: Value) -> Result<String, TemplateError> {
        let template = self.env.get_template(name).map_err(|e| wrap(name, &e))?;
        let mut out = Limited(Vec::new());
        template.render_captured_to(context, &mut out).map_err(|e| match e.kind() {
            ErrorKind::OutOfFuel => of(name, format!("it takes more than {MOST_STEPS} steps")),
            ErrorKind::WriteFailure => of(name, format!("it prints more than {MOST_PRINTED} bytes")),
            _ => wrap(name, &e),
        })?;
        String::from_utf8(out.0).map_err(|e| of(name, e.to_string()))
    }
}

/// A text that ends with an error where it grows too long.
struct Limited(Vec<u8>);

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_PRINTED {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Refuses what would break the limits, or could not be seen in what is printed.
fn refuse(name: &str, text: &str) -> Result<(), TemplateError> {
    if text.len() > LONGEST {
        return Err(of(name, format!("it has {} bytes, {LONGEST} are allowed", text.len())));
    }
    for (number, line) in (1..).zip(text.split('\n')) {
        if let Some(c) = line.chars().find(|c| c.is_control() && *c != '\t') {
            return Err(of(name, format!("line {number}: it holds the control character {c:?}")));
        }
    }
    let mut rest = text;
    while let Some(at) = rest.find("{{").into_iter().chain(rest.find("{%")).chain(rest.find("{#")).min() {
        let (opener, inside) = rest[at..].split_at(2);
        let closer = match opener {
            "{{" => "}}",
            "{%" => "%}",
            _ => "#}",
        };
        let line = || text[..text.len() - inside.len()].matches('\n').count() + 1;
        let none = |what: &str| {
            let why = "a template lays out and computes nothing";
            of(name, format!("line {}: {what} has no place here: {why}", line()))
        };
        // What is not closed is for the parser to tell.
        let Some(end) = inside.find(closer) else { break };
        let tag = inside[..end].trim_start_matches(['-', '+']).trim_end_matches(['-', '+']).trim();
        rest = &inside[end + closer.len()..];
        if opener == "{#" {
            continue;
        }
        if tag.len() > LONGEST_TAG {
            return Err(none(&format!("a tag of more than {LONGEST_TAG} bytes")));
        }
        if opener == "{%" {
            let end = tag.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(tag.len());
            if !STATEMENTS.contains(&&tag[..end]) {
                return Err(none(&format!("`{}`", &tag[..end])));
            }
        }
        let known = |c: char| c.is_ascii_alphanumeric() || " \n\t_.,|()<>=!".contains(c);
        if let Some(odd) = tag.chars().find(|c| !known(*c)) {
            return Err(none(&format!("`{odd}`")));
        }
    }
    Ok(())
}

fn of(name: &str, reason: String) -> TemplateError {
    TemplateError { name: name.to_owned(), reason }
}

/// Text that Rust has printed already and that may stand in an output as it is.
pub fn ready(text: impl Into<String>) -> Value {
    Value::from_safe_string(text.into())
}

fn wrap(name: &str, e: &Error) -> TemplateError {
    let line = e.line().map(|l| format!("line {l}: ")).unwrap_or_default();
    TemplateError { name: name.to_owned(), reason: format!("{line}{e}") }
}

fn format(out: &mut Output, state: &State, value: &Value) -> Result<(), Error> {
    if value.is_safe() || value.is_integer() {
        return out.write_str(&value.to_string()).map_err(Error::from);
    }
    let Some(text) = value.as_str() else {
        return Err(Error::new(ErrorKind::InvalidOperation, format!("a {} where text is due", value.kind())));
    };
    let quoted = match state.auto_escape() {
        AutoEscape::Custom("nix") => crate::nix::string(&[crate::nix::Piece::Literal(text.to_owned())]),
        AutoEscape::Custom(_) => crate::bash::Word::lit(text).print(crate::bash::Quoting::Whole),
        AutoEscape::Html => escape_xml(text),
        _ => return Err(Error::new(ErrorKind::InvalidOperation, "quoting can't be turned off")),
    };
    out.write_str(&quoted).map_err(Error::from)
}

/// The text with the five characters of XML written as entities.
pub fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            c => out.push(c),
        }
    }
    out
}
