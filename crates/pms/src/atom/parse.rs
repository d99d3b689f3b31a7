//! Reads an atom.

use crate::atom::{Atom, Blocker, Operator, UseDep};
use crate::cpv::{find_slash, split_cpv};
use crate::error::{Quoted, SyntaxError};
use crate::name::{Cpn, check_category, check_package, check_repository};
use crate::slot::SlotDep;

/// Splits a text at the byte offset `end`. If that is no valid offset, the second half is empty.
fn split_at(text: &str, end: usize) -> (&str, &str) {
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Reads a whole atom. The offset of an error counts from the atom's first byte.
pub(super) fn parse(text: &str) -> Result<Atom, SyntaxError> {
    let (blocker, rest) = match text.strip_prefix("!!") {
        Some(rest) => (Some(Blocker::Strong), rest),
        None => match text.strip_prefix('!') {
            Some(rest) => (Some(Blocker::Weak), rest),
            None => (None, text),
        },
    };
    let (operator, rest) = operator(rest);
    let start = text.len() - rest.len();

    let end = rest.find([':', '[']).unwrap_or(rest.len());
    let (head, rest) = split_at(rest, end);
    let (cpn, version) = match operator {
        Some(operator) => {
            let (cpn, version) = versioned(head, operator).map_err(|error| error.shift(start))?;
            (cpn, Some(version))
        }
        None => (unversioned(head).map_err(|error| error.shift(start))?, None),
    };
    let mut atom = Atom {
        blocker,
        version,
        ..Atom::new(cpn)
    };

    let mut at = start + head.len();
    let end = rest.find('[').unwrap_or(rest.len());
    let (places, brackets) = split_at(rest, end);
    if let Some(colon) = places.strip_prefix(':') {
        let (slot, repository) = match places.as_bytes().windows(2).position(|pair| pair == b"::") {
            Some(found) => (
                colon.get(..found.saturating_sub(1)),
                places.get(found + 2..),
            ),
            None => (Some(colon), None),
        };
        if !places.starts_with("::") {
            let slot = slot.unwrap_or_default();
            atom.slot = Some(
                slot.parse::<SlotDep>()
                    .map_err(|error| error.shift(at + 1))?,
            );
        }
        if let Some(repository) = repository {
            let shift = at + places.len() - repository.len();
            check_repository(repository).map_err(|error| error.shift(shift))?;
            atom.repository = Some(repository.into());
        }
    }
    at += places.len();
    if !brackets.is_empty() {
        atom.use_deps = use_deps(brackets).map_err(|error| error.shift(at))?;
    }
    Ok(atom)
}

fn operator(text: &str) -> (Option<Operator>, &str) {
    const SIGNS: [(&str, Operator); 6] = [
        (">=", Operator::GreaterEqual),
        ("<=", Operator::LessEqual),
        (">", Operator::Greater),
        ("<", Operator::Less),
        ("=", Operator::Equal),
        ("~", Operator::Approximate),
    ];
    for (sign, operator) in SIGNS {
        if let Some(rest) = text.strip_prefix(sign) {
            return (Some(operator), rest);
        }
    }
    (None, text)
}

type Versioned = (Cpn, (Operator, crate::version::Version));

fn versioned(head: &str, operator: Operator) -> Result<Versioned, SyntaxError> {
    let (head, operator) = match head.strip_suffix('*') {
        Some(head) if operator == Operator::Equal => (head, Operator::EqualGlob),
        Some(head) => {
            let message = format_args!(
                "`*` after a version goes with `=`, not with `{}`",
                operator.sign()
            );
            return Err(SyntaxError::new(head.len(), 1, message));
        }
        None => (head, operator),
    };
    split_cpv(head).map(|(cpn, version)| (cpn, (operator, version)))
}

fn unversioned(head: &str) -> Result<Cpn, SyntaxError> {
    let slash = find_slash(head)?;
    check_category(head.get(..slash).unwrap_or_default())?;
    let package = head.get(slash + 1..).unwrap_or_default();
    check_package(package).map_err(|error| {
        let mut error = error.shift(slash + 1);
        if crate::version::split_version(package).is_some() {
            error.message = format!(
                "{} has a version and so needs an operator, such as `=`",
                Quoted(head)
            );
        }
        error
    })?;
    Ok(Cpn::from_checked(head, slash))
}

/// Reads a list of USE dependencies with its brackets: `[a,-b?]`.
fn use_deps(text: &str) -> Result<Vec<UseDep>, SyntaxError> {
    let Some(list) = text
        .strip_prefix('[')
        .and_then(|list| list.strip_suffix(']'))
    else {
        return Err(SyntaxError::new(
            text.len(),
            0,
            "expected `]` at the end of the USE dependencies",
        ));
    };
    let mut found: Vec<UseDep> = Vec::new();
    let mut at = 1;
    for word in list.split(',') {
        found.push(word.parse().map_err(|error: SyntaxError| error.shift(at))?);
        at += word.len() + 1;
    }
    if let Err(conflict) = super::check_defaults(&found) {
        return Err(SyntaxError::new(1, list.len(), conflict));
    }
    Ok(found)
}
