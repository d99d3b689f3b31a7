//! Converts the typed PKGBUILD to statements of bash.

use crate::value::ir::{Field, Fields, Pkgbuild, Variable};
use rocpkg_render::bash::{Command, Item, Quoting, Scope, Stmt, Style, Word};
use std::collections::BTreeSet;

/// The style of a PKGBUILD: an indentation of two blanks, words quoted as a whole, and names in
/// braces where needed.
pub const STYLE: Style = Style {
    indent: "  ",
    indent_width: 2,
    width: 100,
    quoting: Quoting::Short,
    padded_arrays: false,
};

/// The greatest number of dependencies that are printed on one line. A longer array has one element
/// on each line, so that adding an element changes one line.
pub(crate) const SHORT: usize = 5;

/// Returns the statements that set the global fields and private variables.
pub(crate) fn fields(p: &Pkgbuild) -> Vec<Stmt> {
    let mut out = Vec::new();
    if p.split {
        out.push(assign("pkgbase", Word::lit(p.base.clone())));
        let names = p.parts.iter().map(|part| Word::lit(part.name.clone()));
        out.push(array("pkgname", names, p.parts.len() > 3));
    } else if let Some(part) = p.parts.first() {
        out.push(assign("pkgname", Word::lit(part.name.clone())));
    }
    let mut done = BTreeSet::new();
    for field in Field::written() {
        let own = p.fields.get(&field).map(|value| (None, value));
        let by_architecture = p.by_architecture.iter();
        let further = by_architecture.filter(|((of, _), _)| *of == field);
        let further = further.map(|((_, arch), value)| (Some(arch.as_str()), value));
        for (arch, value) in own.into_iter().chain(further) {
            // A private variable is printed above the first field that uses it, directly or
            // indirectly.
            let mut used: BTreeSet<&str> = value.iter().flat_map(Word::variables).collect();
            for (name, variable) in p.variables.iter().rev() {
                if used.contains(name.as_str()) {
                    used.extend(words(variable).iter().flat_map(Word::variables));
                }
            }
            let all = p.variables.iter();
            for (name, variable) in all.filter(|(name, _)| used.contains(name.as_str())) {
                if done.insert(name.clone()) {
                    out.push(private(name, variable));
                }
            }
            out.push(statement(field, arch, value));
        }
    }
    out.extend(
        p.variables
            .iter()
            .filter(|(n, _)| !done.contains(n))
            .map(|(n, v)| private(n, v)),
    );
    out
}

/// Returns the definitions of the functions, with those of the packages last.
pub(crate) fn functions(p: &Pkgbuild) -> Vec<Stmt> {
    let plain = p
        .functions
        .iter()
        .map(|(name, body)| function(name.clone(), body.clone()));
    let parts = p.parts.iter().map(|part| {
        let name = if p.split {
            format!("package_{}", part.name)
        } else {
            "package".to_owned()
        };
        function(
            name,
            rocpkg_shell::apart(overrides(&part.overrides), part.body.clone()),
        )
    });
    plain.chain(parts).collect()
}

/// Returns the definition of the function `name`. An empty body, such as that of a metapackage,
/// becomes `:`, as bash requires a statement.
fn function(name: String, mut body: Vec<Stmt>) -> Stmt {
    if body.is_empty() {
        body.push(Stmt::Command(Command::new(vec![Word::lit(":")])));
    }
    // A blank line separates upstream's installation from the statements behind it.
    let after = body.iter().rposition(installs).map(|at| at + 1);
    if let Some(at) = after.filter(|at| body.get(*at).is_some_and(|s| !matches!(s, Stmt::Blank))) {
        body.insert(at, Stmt::Blank);
    }
    Stmt::Function { name, body }
}

/// Returns true for a command that begins with `cmake --install`.
fn installs(stmt: &Stmt) -> bool {
    let Stmt::Command(command) = stmt else {
        return false;
    };
    command
        .words
        .iter()
        .take(2)
        .map(Word::as_literal)
        .eq([Some("cmake"), Some("--install")])
}

fn overrides(fields: &Fields) -> Vec<Stmt> {
    Field::written()
        .filter_map(|field| Some(statement(field, None, fields.get(&field)?)))
        .collect()
}

fn statement(field: Field, arch: Option<&str>, value: &[Word]) -> Stmt {
    let name = match arch {
        Some(arch) => format!("{}_{arch}", field.name()),
        None => field.name().to_owned(),
    };
    if field.is_single() {
        let word = value.first().cloned().unwrap_or_default();
        let is_text = matches!(field, Field::Pkgdesc | Field::Url);
        return assign(&name, if is_text { quoted(&word) } else { word });
    }
    let count = value.len();
    let tall = match field {
        Field::Depends | Field::Makedepends | Field::Checkdepends => count > SHORT,
        Field::Optdepends | Field::Source => count > 1,
        f if f.is_sums() => count > 1,
        _ => false,
    };
    let written = if field == Field::Options {
        bare
    } else {
        quoted
    };
    array(&name, value.iter().map(written), tall)
}

/// Returns the word in the style of Arch's packages of ROCm: in single quotes if it is a literal.
fn quoted(word: &Word) -> Word {
    word.as_literal()
        .map_or_else(|| word.clone(), Word::single_quoted)
}

/// Returns an option of makepkg, such as `!lto`, without quotes. Any other word is returned
/// unchanged.
fn bare(word: &Word) -> Word {
    let is_option = |text: &&str| text.bytes().all(|b| b.is_ascii_lowercase() || b == b'!');
    word.as_literal()
        .filter(is_option)
        .map_or_else(|| word.clone(), Word::pattern)
}

fn words(variable: &Variable) -> &[Word] {
    match variable {
        Variable::Scalar(word) => std::slice::from_ref(word),
        Variable::Array(words) => words,
    }
}

fn private(name: &str, variable: &Variable) -> Stmt {
    match variable {
        Variable::Scalar(word) => assign(name, word.clone()),
        Variable::Array(elements) => array(name, elements.iter().cloned(), elements.len() > 3),
    }
}

fn assign(name: &str, value: Word) -> Stmt {
    Stmt::assign(Scope::Plain, name, value)
}

pub(super) fn array(name: &str, words: impl Iterator<Item = Word>, tall: bool) -> Stmt {
    Stmt::array(Scope::Plain, name, words.map(Item::from).collect(), tall)
}

/// Returns the values of the variables in the template `PKGBUILD.j2`.
pub(crate) fn context(b: &Pkgbuild) -> minijinja::Value {
    let text = |stmts: &[Stmt]| rocpkg_render::ready(rocpkg_render::bash::print(stmts, &STYLE));
    let line =
        |name: &String| rocpkg_render::ready(name.split_whitespace().collect::<Vec<_>>().join(" "));
    let comment = b
        .comment
        .iter()
        .map(|c| Stmt::Comment(c.clone()))
        .collect::<Vec<_>>();
    let functions: Vec<_> = functions(b).into_iter().map(|f| text(&[f])).collect();
    minijinja::context! {
        maintainers => b.maintainers.iter().map(line).collect::<Vec<_>>(),
        contributors => b.contributors.iter().map(line).collect::<Vec<_>>(),
        comment => text(&comment),
        fields => text(&fields(b)),
        functions => functions,
    }
}
