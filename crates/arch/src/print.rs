//! From the IR to statements of bash.

use crate::ir::{Element, Entry, Field, Fields, Function, Pkgbuild, Variable};
use rocpkg_render::bash::{Command, Item, Quoting, Scope, Stmt, Style, Word};
use std::collections::BTreeSet;

/// How a PKGBUILD is written: two blanks of indentation, words quoted as a whole, names in braces where needed.
pub const STYLE: Style =
    Style { indent: "  ", indent_width: 2, width: 100, quoting: Quoting::Short, padded_arrays: false };

/// As many dependencies stand on one line; of more, one a line makes an added one a one-line change.
pub(crate) const SHORT: usize = 5;

/// The fields and private variables of the whole.
pub(crate) fn fields(p: &Pkgbuild) -> Vec<Stmt> {
    let mut out = Vec::new();
    if p.split {
        out.push(assign("pkgbase", Word::lit(p.base.clone())));
        let names = p.parts.iter().map(|part| Word::lit(part.name.clone()).into()).collect();
        out.push(array("pkgname", names, p.parts.len() > 3));
    } else if let Some(part) = p.parts.first() {
        out.push(assign("pkgname", Word::lit(part.name.clone())));
    }
    let mut done = BTreeSet::new();
    for field in Field::written() {
        if let Some(value) = p.fields.get(&field) {
            // A private variable stands above the first field that speaks of it.
            for (name, variable) in p.variables.iter().filter(|(name, _)| mentions(value, name)) {
                if done.insert(name.clone()) {
                    out.push(private(name, variable));
                }
            }
            out.push(statement(field, value));
        }
    }
    out.extend(p.variables.iter().filter(|(n, _)| !done.contains(n)).map(|(n, v)| private(n, v)));
    out
}

/// The functions, those of the packages last.
pub(crate) fn functions(p: &Pkgbuild) -> Vec<Stmt> {
    let plain = p.functions.iter().map(|Function { name, body }| function(name.clone(), body.clone()));
    let parts = p.parts.iter().map(|part| {
        let name = if p.split { format!("package_{}", part.name) } else { "package".to_owned() };
        let mut body = overrides(&part.overrides);
        if !body.is_empty() && !part.body.is_empty() {
            body.push(Stmt::Blank);
        }
        body.extend(part.body.iter().cloned());
        function(name, body)
    });
    plain.chain(parts).collect()
}

/// A function; bash takes no empty one, as a metapackage would have.
fn function(name: String, mut body: Vec<Stmt>) -> Stmt {
    if body.is_empty() {
        body.push(Stmt::Command(Command::new(vec![Word::lit(":")])));
    }
    // What upstream installs, then what is done to it.
    let after = body.iter().rposition(installs).map(|at| at + 1);
    if let Some(at) = after.filter(|at| body.get(*at).is_some_and(|s| !matches!(s, Stmt::Blank))) {
        body.insert(at, Stmt::Blank);
    }
    Stmt::Function { name, body }
}

/// `cmake --install`.
fn installs(stmt: &Stmt) -> bool {
    let Stmt::Command(command) = stmt else { return false };
    command.words.iter().take(2).map(Word::as_literal).eq([Some("cmake"), Some("--install")])
}

fn overrides(fields: &Fields) -> Vec<Stmt> {
    Field::written().filter_map(|field| Some(statement(field, fields.get(&field)?))).collect()
}

fn statement(field: Field, value: &[Element]) -> Stmt {
    if field.is_single() {
        let word = match value.first() {
            Some(Element::One(entry, _)) if matches!(field, Field::Pkgdesc | Field::Url) => quoted(entry),
            Some(Element::One(entry, _)) => entry.word(),
            _ => Word::default(),
        };
        return assign(field.name(), word);
    }
    let count = value.len();
    let tall = match field {
        Field::Depends | Field::Makedepends | Field::Checkdepends => count > SHORT,
        Field::Optdepends | Field::Source => count > 1,
        f if f.is_sums() => count > 1,
        _ => false,
    };
    let mut items = items(value);
    for (item, element) in items.iter_mut().zip(value) {
        match element {
            Element::One(entry, _) if field == Field::Options => item.word = bare(entry),
            Element::One(entry, _) => item.word = quoted(entry),
            Element::Splice(_) => {}
        }
    }
    array(field.name(), items, tall)
}

/// A value as Arch's ROCm writes it: a literal in single quotes.
fn quoted(entry: &Entry) -> Word {
    let word = entry.word();
    word.as_literal().map(Word::single_quoted).unwrap_or(word)
}

/// An option, such as `!lto`, which needs no quotes.
fn bare(entry: &Entry) -> Word {
    let word = entry.word();
    let is_option = |text: &&str| text.bytes().all(|b| b.is_ascii_lowercase() || b == b'!');
    word.as_literal().filter(is_option).map(Word::pattern).unwrap_or(word)
}

fn private(name: &str, variable: &Variable) -> Stmt {
    match variable {
        Variable::Scalar(entry) => assign(name, entry.word()),
        Variable::Array(elements) => array(name, items(elements), elements.len() > 3),
    }
}

fn items(elements: &[Element]) -> Vec<Item> {
    elements
        .iter()
        .map(|e| match e {
            Element::One(entry, comment) => Item { word: entry.word(), comment: comment.clone() },
            Element::Splice(name) => Word::var(format!("{name}[@]")).into(),
        })
        .collect()
}

fn mentions(value: &[Element], variable: &str) -> bool {
    let holds = |entry: &Entry| entry.variables().any(|v| v == variable);
    value.iter().any(|e| match e {
        Element::One(entry, _) => holds(entry),
        Element::Splice(name) => name == variable,
    })
}

fn assign(name: &str, value: Word) -> Stmt {
    Stmt::assign(Scope::Plain, name, value)
}

fn array(name: &str, items: Vec<Item>, tall: bool) -> Stmt {
    Stmt::array(Scope::Plain, name, items, tall)
}
