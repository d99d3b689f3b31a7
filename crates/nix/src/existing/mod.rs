//! Edits the scope of a checkout of nixpkgs. Calls of the plan's packages are added or changed, and
//! all other bytes are kept. Start with [`join_scope`].

#[cfg(feature = "checkout")]
pub(crate) mod values;

pub(crate) mod bound;
mod edits;
mod layout;
mod names;
mod scope;
#[cfg(feature = "checkout")]
pub(crate) mod stale;
mod sums;

pub use layout::{FileCall, Literal, Within, file_calls, head_arguments, literals};
pub use scope::defines_scope;
pub use sums::sums_from;

use crate::lower::names::GLOBALS;
use crate::value::open::{Found, walk};
use crate::value::text::parse;
use bound::{Bound, BoundCall};
use edits::Edits;
use names::is_name;
use rnix::ast::{AttrSet, Expr, Param};
use rnix::{NodeOrToken, SyntaxNode};
use rocpkg_syntax::{Fault, Language, Reading, Rules, nix};
use rowan::ast::AstNode;
use scope::{Scope, misread};

static RULES: Rules = Rules {
    version: "version",
    of_sources: &["sourceRoot", "sparseCheckout", "homepage"],
    fetchers: &["fetchpatch", "fetchpatch2", "fetchurl"],
    ..Rules::NONE
};

/// Returns the rules by which `rocpkg-edit` reads an expression.
pub fn reading() -> Reading {
    Reading {
        language: Language::Nix,
        rules: &RULES,
        given: Vec::new(),
    }
}

/// Returns the text of the existing scope, `present`, with the calls of the rendered scope,
/// `rendered`, added.
///
/// `written` returns the text that a file will have, by its path below the scope's folder, such as
/// `rocblas/default.nix`. Calls of files for which it returns `None` are neither added nor changed.
/// An existing call keeps its layout, its comments and its arguments. Only these parts of it are
/// changed:
///
/// - its path, and its caller (the scope or Python's packages),
/// - arguments that the model's `call-with` states in another way, or that Python's packages would
///   not find,
/// - arguments that the expression does not take, which are removed.
///
/// A missing call is added after the existing call that most closely precedes it in the rendered
/// scope. If the existing calls are sorted by name, it is added at its place among them. The
/// packages of nixpkgs that the call uses are added to the file's arguments.
///
/// If the formatter leaves `present` unchanged, it also leaves the new text unchanged. A second
/// join of the same scope changes nothing. A package whose call can't be joined is a fault of the
/// result, and the calls of other packages are joined.
///
/// # Errors
/// A [`Fault`] with the place in `present`, and the expected text, if the text is not Nix, if no
/// scope is found, or if a name that the calls need can't be used in the scope.
pub fn join_scope<'t>(
    rendered: &str,
    present: &str,
    written: impl Fn(&str) -> Option<&'t str>,
) -> Result<JoinedScope, Fault> {
    let (ours, there) = (Scope::read(rendered)?, Scope::read(present)?);
    let mut join = Join {
        ours: &ours,
        there: &there,
        edits: Edits::new(present),
        needed: Vec::new(),
        lost: Vec::new(),
    };
    let mut faults = Vec::new();
    for (bound, call) in there.in_order(ours.calls()) {
        if let Some(expression) = written(&call.file()) {
            let fault = join.package(bound, &call, expression).err();
            faults.extend(fault.map(|fault| (call.file(), fault)));
        }
    }
    join.arguments()?;
    let (mut text, mut lost) = (present.to_owned(), Vec::new());
    if !join.edits.is_empty() {
        let joined = join.edits.apply();
        parse(&joined, 0, joined.len())?;
        text = formatted(&joined, present);
        lost = join.lost;
    }
    Ok(JoinedScope { text, lost, faults })
}

/// The result of [`join_scope`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JoinedScope {
    /// The new text of the scope.
    pub text: String,
    /// The arguments that calls lost, each with its offset in the old text and a sentence about it.
    pub lost: Vec<(usize, String)>,
    /// The files whose calls can't be joined, each with the place in the old text. The name of a
    /// package may be bound to something else than a call.
    pub faults: Vec<(String, Fault)>,
}

/// Returns the edited text `text`. It is formatted if the formatter leaves the text before the
/// edit, `there`, unchanged.
pub fn formatted(text: &str, there: &str) -> String {
    // The formatter is recursive, so the depth is checked first.
    let is_readable = text != there && nix::parse(there).is_ok() && nix::parse(text).is_ok();
    let is_formatted = is_readable && nixfmt_rs::format(there).is_ok_and(|again| again == there);
    let formatted = is_formatted.then(|| nixfmt_rs::format(text).ok()).flatten();
    formatted.unwrap_or_else(|| text.to_owned())
}

/// The state of joining a rendered scope, `ours`, into an existing one, `there`.
struct Join<'a> {
    ours: &'a Scope,
    there: &'a Scope,
    edits: Edits<'a>,
    /// Texts that were added to the file, each with the node at which it was added. Names in them
    /// may have to become arguments of the file.
    needed: Vec<(String, SyntaxNode)>,
    /// The arguments that calls lost: the offset before the edit, and a sentence about it.
    lost: Vec<(usize, String)>,
}

impl Join<'_> {
    fn package(&mut self, bound: &Bound, call: &BoundCall, expression: &str) -> Result<(), Fault> {
        let there = self.there;
        let named = || there.all().filter(|b| b.name == bound.name);
        if let Some(present) = named().find_map(Bound::call) {
            return self.amend(call, &present, expression);
        }
        match named().last() {
            None => {
                self.add(bound);
                Ok(())
            }
            // The existing scope calls the file under another name, and this name is an alias of
            // it.
            Some(_)
                if there
                    .all()
                    .filter_map(Bound::call)
                    .any(|c| c.file() == call.file()) =>
            {
                Ok(())
            }
            Some(other) => Err(misread(
                &other.entry,
                format!("`{}` is not a call of {}", bound.name, call.path),
                format!(
                    "expected `callPackage {}`; if this binding is removed, the call is added",
                    call.path
                ),
            )),
        }
    }

    /// Adds a binding of the rendered scope to the existing set.
    fn add(&mut self, bound: &Bound) {
        let text = self.text(&bound.entry);
        let (behind, spaced) = self.there.place(&bound.name, self.ours);
        self.edits
            .insert(&self.there.set, behind.as_ref(), &text, spaced);
        let value = bound
            .value
            .as_ref()
            .map_or_else(String::new, |v| self.text(v.syntax()));
        self.needed.push((value, self.there.set.syntax().clone()));
    }

    /// Changes the existing call `present` to match the rendered call `ours`. `expression` is the
    /// text of the file that is called.
    fn amend(
        &mut self,
        ours: &BoundCall,
        present: &BoundCall,
        expression: &str,
    ) -> Result<(), Fault> {
        if ours.file() != present.file() {
            self.edits
                .replace(&present.path, ours.path.text().to_string());
        }
        let caller = Caller::of(&self.ours.names.words(&ours.caller));
        if caller != Caller::of(&self.there.names.words(&present.caller)) {
            let text = self.text(&ours.caller);
            self.edits.replace(&present.caller, text.clone());
            self.needed.push((text, present.caller.clone()));
        }
        let stated: Vec<(Bound, Vec<String>, ArgumentReason)> = ours
            .arguments()
            .into_iter()
            .flat_map(|(_, all)| all)
            .map(|b| {
                let words = self.ours.value(&b);
                let kind = ArgumentReason::of(&b.name, &words);
                (b, words, kind)
            })
            .collect();
        let Some((set, given)) = present.arguments() else {
            return match (
                &present.given,
                stated
                    .iter()
                    .find(|(.., kind)| *kind == ArgumentReason::Stated),
            ) {
                (Some(given), Some((bound, ..))) => Err(misread(
                    given.syntax(),
                    format!(
                        "`{}` can't be looked up in the arguments of {}",
                        bound.name, present.path
                    ),
                    "expected a literal set: `{ … }`".into(),
                )),
                _ => Ok(()),
            };
        };
        let mut gone: Vec<&Bound> = given
            .iter()
            .filter(|b| !takes(expression, &b.name))
            .collect();
        for bound in &gone {
            let (path, text) = (
                &present.path,
                bound.inherited.as_ref().unwrap_or(&bound.entry),
            );
            let text = format!(
                "{path} has no argument `{}`, so its call loses `{text}`",
                bound.name
            );
            self.lost.push((edits::range(&bound.entry).0, text));
        }
        let mut missing: Vec<&Bound> = Vec::new();
        for (bound, words, kind) in &stated {
            let there = given.iter().find(|b| b.name == bound.name);
            match (there, kind) {
                (Some(there), ArgumentReason::Stated) if self.there.value(there) != *words => {
                    if let (Some(old), Some(new)) = (&there.value, &bound.value) {
                        let text = self.text(new.syntax());
                        self.edits.replace(old.syntax(), text.clone());
                        self.needed.push((text, old.syntax().clone()));
                    } else {
                        gone.push(there);
                        missing.push(bound);
                    }
                }
                (None, ArgumentReason::Stated) => missing.push(bound),
                (None, ArgumentReason::Found) if caller != Caller::Scope => missing.push(bound),
                _ => {}
            }
        }
        let kept: Vec<&Bound> = given
            .iter()
            .filter(|b| !gone.iter().any(|g| g.name == b.name))
            .collect();
        for bound in missing {
            let words =
                |scope: &Scope, b: &Bound| b.from.as_ref().map(|from| scope.names.words(from));
            let from = words(self.ours, bound).filter(|_| bound.inherited.is_some());
            let beside = kept
                .iter()
                .rfind(|b| from.is_some() && words(self.there, b) == from);
            if let Some(attr) = beside.and_then(|b| b.inherited.as_ref()) {
                self.edits.behind(attr, &format!(" {}", bound.name));
            } else {
                self.give(set, given.last(), bound);
            }
        }
        self.take(&given, &gone);
        Ok(())
    }

    /// Adds the argument `bound` to the literal set of a call's arguments. `last` is the last
    /// argument so far.
    fn give(&mut self, set: &AttrSet, last: Option<&Bound>, bound: &Bound) {
        let text = match (&bound.inherited, &bound.from) {
            (None, _) => self.text(&bound.entry),
            (Some(attr), None) => format!("inherit {attr};"),
            (Some(attr), Some(from)) => format!("inherit ({}) {attr};", self.text(from)),
        };
        self.edits.insert(set, last.map(|b| &b.entry), &text, false);
        self.needed
            .push((format!("{{ {text} }}"), set.syntax().clone()));
    }

    /// Removes the arguments `gone` from a call. `given` are all of its arguments.
    fn take(&mut self, given: &[Bound], gone: &[&Bound]) {
        let mut whole: Vec<&SyntaxNode> = Vec::new();
        for bound in gone {
            let left = given
                .iter()
                .any(|b| b.entry == bound.entry && !gone.iter().any(|g| g.name == b.name));
            match &bound.inherited {
                Some(attr) if left => self.edits.remove(attr),
                _ if whole.contains(&&bound.entry) => {}
                _ => {
                    self.edits.remove(&bound.entry);
                    whole.push(&bound.entry);
                }
            }
        }
    }

    /// Returns the text of a node of the rendered scope, for the existing file: without its
    /// indentation, and with the existing file's name for the scope, such as `final` instead of
    /// `self`.
    fn text(&self, node: &SyntaxNode) -> String {
        let tokens = node
            .descendants_with_tokens()
            .filter_map(NodeOrToken::into_token);
        let word = |t: rnix::SyntaxToken| {
            if t.text() == self.ours.own && is_name(&t) {
                self.there.own.clone()
            } else {
                t.text().to_owned()
            }
        };
        let text: String = tokens.map(word).collect();
        let above = node
            .prev_sibling_or_token()
            .map(|before| before.to_string())
            .unwrap_or_default();
        let indent = above
            .rsplit('\n')
            .next()
            .filter(|blank| blank.trim().is_empty())
            .unwrap_or_default();
        text.replace(&format!("\n{indent}"), "\n")
    }

    /// Adds the names that the added texts use to the arguments of the existing file.
    fn arguments(&mut self) -> Result<(), Fault> {
        let mut added: Vec<String> = Vec::new();
        for (text, place) in std::mem::take(&mut self.needed) {
            let mut found = Found::default();
            walk(&parse(&text, 0, text.len())?, 0, &mut found);
            for name in found.uses.into_iter().map(|u| u.name) {
                if name == self.there.own
                    || GLOBALS.split_whitespace().any(|own| own == name)
                    || added.contains(&name)
                {
                    continue;
                }
                if self.there.names.name(&name) != [name.clone()] {
                    let message = format!(
                        "`{name}` is redefined around this, but the one of nixpkgs is needed"
                    );
                    return Err(misread(
                        &place,
                        message,
                        "expected another name in `let`".into(),
                    ));
                }
                if self.there.arguments.iter().any(|(known, _)| *known == name) {
                    continue;
                }
                let Some((_, last)) = self.there.arguments.last() else {
                    let message =
                        format!("the file needs the argument `{name}`, but takes no arguments");
                    return Err(misread(
                        &place,
                        message,
                        "expected a function head above it, such as `{ lib, newScope }:`".into(),
                    ));
                };
                self.edits.argument(last, &name);
                added.push(name);
            }
        }
        Ok(())
    }
}

/// The kind of `callPackage` that calls a package: that of the scope, of Python's packages, or of
/// nixpkgs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Caller {
    Scope,
    Python,
    Nixpkgs,
}

impl Caller {
    fn of(words: &[String]) -> Self {
        match words {
            [own, _, _] if own == "self" => Self::Scope,
            _ if words.iter().any(|w| w.contains("python")) => Self::Python,
            _ => Self::Nixpkgs,
        }
    }
}

/// The reason why a rendered call gives an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArgumentReason {
    /// The argument is the scope's own package of this name: `inherit (self) clr;`. The scope's
    /// `callPackage` finds it without the argument.
    Found,
    /// The argument is nixpkgs' compiler: `inherit stdenv;`.
    Compiler,
    /// The model states the argument, in the overlay's `call-with`.
    Stated,
}

impl ArgumentReason {
    fn of(name: &str, words: &[String]) -> Self {
        match words {
            [own, _, attribute] if own == "self" && attribute == name => Self::Found,
            [word] if word == "stdenv" && name == "stdenv" => Self::Compiler,
            _ => Self::Stated,
        }
    }
}

/// Returns true if the function in the text `expression` takes the argument `name`, or if the text
/// can't be read.
fn takes(expression: &str, name: &str) -> bool {
    let root = nix::parse(expression).ok().and_then(rnix::Root::cast);
    let Some(Expr::Lambda(lambda)) = root.and_then(|root| root.expr()) else {
        return true;
    };
    match lambda.param() {
        Some(Param::Pattern(p)) => {
            let mut names = p.pat_entries().filter_map(|e| e.ident());
            p.ellipsis_token().is_some() || names.any(|i| i.syntax().text() == name)
        }
        _ => true,
    }
}
