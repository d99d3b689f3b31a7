//! Templates of minijinja, in which every plain string is quoted in the language of the file.

use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value,
};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A set of templates that were read.
#[derive(Clone, Debug)]
pub struct Templates {
    env: Environment<'static>,
}

/// A template that can't be read or filled in.
#[derive(Debug, thiserror::Error)]
#[error("template {name}: {reason}")]
pub struct TemplateError {
    /// The template's name.
    pub name: String,
    /// The reason, with the line if it is known.
    pub reason: String,
}

impl Templates {
    /// Reads templates. `texts` contains their texts by path (`gentoo/ebuild.j2`).
    ///
    /// The path decides the language of quoting: XML for a name with `.xml` or `.html`, TOML for a
    /// name with `.toml`, Nix for the folder `nix/`, and bash for all others.
    ///
    /// # Errors
    /// When one of the texts is not a template.
    pub fn new(texts: &BTreeMap<String, String>) -> Result<Self, TemplateError> {
        let mut env = Environment::empty();
        env.set_undefined_behavior(UndefinedBehavior::Strict);
        env.set_trim_blocks(true);
        env.set_lstrip_blocks(true);
        env.set_keep_trailing_newline(true);
        env.set_auto_escape_callback(|name| {
            if name.contains(".xml") || name.contains(".html") {
                AutoEscape::Html
            } else if name.contains(".toml") {
                AutoEscape::Custom("toml")
            } else if name.starts_with("nix/") {
                AutoEscape::Custom("nix")
            } else {
                AutoEscape::Custom("bash")
            }
        });
        env.set_formatter(format);
        for (name, text) in texts {
            env.add_template_owned(name.clone(), text.clone())
                .map_err(|e| wrap(name, &e))?;
        }
        Ok(Self { env })
    }

    /// Fills in the template at the path `name` with the values of `context`, and returns the text.
    ///
    /// # Errors
    /// When the template does not exist, uses a value that is not in `context`, or prints a list.
    pub fn render(&self, name: &str, context: Value) -> Result<String, TemplateError> {
        let template = self.env.get_template(name).map_err(|e| wrap(name, &e))?;
        template.render(context).map_err(|e| wrap(name, &e))
    }
}

/// The templates that a crate prints its types with, by path (`gentoo/ebuild.j2`).
/// [`embedded!`](crate::embedded) makes them.
#[derive(Debug)]
pub struct Embedded {
    texts: &'static [(&'static str, &'static str)],
    read: OnceLock<Templates>,
}

impl Embedded {
    /// Makes a collection of templates, from their paths and texts.
    pub const fn new(texts: &'static [(&'static str, &'static str)]) -> Self {
        Self {
            texts,
            read: OnceLock::new(),
        }
    }

    /// Returns the texts by path.
    pub fn texts(&self) -> BTreeMap<String, String> {
        self.texts
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    }

    /// Fills in the template at the path `name` with the values of `context`, and returns the text.
    ///
    /// # Panics
    /// When the template does not exist or can't be filled in. Templates and callers are in the
    /// same crate, so such a template is a fault of the crate.
    pub fn print(&self, name: &str, context: Value) -> String {
        let all = self
            .read
            .get_or_init(|| Templates::new(&self.texts()).expect("templates of ours"));
        all.render(name, context).expect("a template of ours")
    }
}

/// Embeds the templates of a crate: files in its folder `templates`. That folder is a link into the
/// repository, which cargo follows when it packs the crate.
#[macro_export]
macro_rules! embedded {
    ($folder:literal: $($name:literal)*) => {
        $crate::Embedded::new(&[$((
            concat!($folder, "/", $name),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/", $name)),
        )),*])
    };
}

/// Makes a value of a template that is written without quoting, since it is in the file's language
/// already.
pub fn ready(text: impl Into<String>) -> Value {
    Value::from_safe_string(text.into())
}

fn wrap(name: &str, e: &Error) -> TemplateError {
    let line = e.line().map(|l| format!("line {l}: ")).unwrap_or_default();
    TemplateError {
        name: name.to_owned(),
        reason: format!("{line}{e}"),
    }
}

fn format(out: &mut Output, state: &State, value: &Value) -> Result<(), Error> {
    if value.is_safe() || value.is_integer() {
        return out.write_str(&value.to_string()).map_err(Error::from);
    }
    let Some(text) = value.as_str() else {
        return Err(Error::new(
            ErrorKind::InvalidOperation,
            format!("expected text, found a value of kind `{}`", value.kind()),
        ));
    };
    let quoted = match state.auto_escape() {
        AutoEscape::Custom("nix") => {
            crate::nix::string(&[crate::nix::NixPiece::Literal(text.to_owned())])
        }
        AutoEscape::Custom("toml") => escape_toml(text),
        AutoEscape::Custom(_) => crate::bash::Word::lit(text).print(crate::bash::Quoting::Whole),
        AutoEscape::Html => escape_xml(text),
        _ => {
            return Err(Error::new(
                ErrorKind::InvalidOperation,
                "quoting can't be turned off",
            ));
        }
    };
    out.write_str(&quoted).map_err(Error::from)
}

/// Returns the text as a string of TOML, with its quotes. A text with backslashes is put between
/// single quotes if single quotes can hold it.
pub fn escape_toml(text: &str) -> String {
    if text.contains('\\') && !text.contains(|c: char| c == '\'' || c.is_control()) {
        return format!("'{text}'");
    }
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

/// Escapes the five special characters of XML as entities.
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
