//! The values of variables of a PKGBUILD, with the places of their words.

use crate::value::evaluate::{Makepkg, sourced};
use rocpkg_bash::evaluate::{Reason, Run, Status, Value, Variable};
use rocpkg_syntax::{Script, Set, SetKind};
use std::collections::BTreeMap;
use std::ops::Range;

/// An element of an array, or the value of a variable.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// The text of the element; `None` if only bash can compute it.
    pub(super) text: Option<String>,
    /// The range of bytes of the word in the PKGBUILD.
    pub(super) at: Range<usize>,
}

impl From<&Value> for Element {
    fn from(value: &Value) -> Self {
        Self {
            text: value.known(),
            at: value.at.range().unwrap_or_default(),
        }
    }
}

/// The values of variables at one point of a script.
#[derive(Clone)]
pub(super) struct Values {
    pub(super) run: Run<Makepkg>,
    /// The elements of each variable; `None` if only bash can compute their number.
    known: BTreeMap<String, Option<Vec<Element>>>,
    pub(super) status: Status,
}

impl Values {
    /// Returns the values at the end of the global scope.
    pub(super) fn at_margin(text: &str) -> Self {
        let sourced = sourced(text);
        Self::of(sourced.0.clone(), sourced.1)
    }

    fn of(run: Run<Makepkg>, status: Status) -> Self {
        let known = run.variables.iter();
        let known = known.map(|(name, variable)| (name.clone(), elements(variable)));
        Self {
            known: known.collect(),
            run,
            status,
        }
    }

    /// Returns the values after makepkg has sourced the PKGBUILD: `pkgbase` is the first name in
    /// `pkgname` unless it is set. `self` are the values at the end of the global scope.
    pub(super) fn sourced(&self) -> Self {
        Self::of(self.run_sourced(), self.status)
    }

    /// Returns the values at the start of the function with the index `function`. `self` are the
    /// values at the end of the global scope. Variables that other functions set are unknown, since
    /// these functions may have run before.
    pub(super) fn in_function(&self, script: &Script, function: usize) -> Self {
        Self::of(self.run_in_function(script, function), self.status)
    }

    fn run_sourced(&self) -> Run<Makepkg> {
        let mut run = self.run.clone();
        if !run.variables.contains_key("pkgbase") {
            let name = run.variables.get("pkgname").map(Variable::text);
            run.set("pkgbase", Variable::Text(name.unwrap_or_default()));
        }
        run
    }

    /// Returns the evaluation at the start of a function; see [`Values::in_function`].
    pub(super) fn run_in_function(&self, script: &Script, function: usize) -> Run<Makepkg> {
        let mut run = self.run_sourced();
        for set in &script.sets {
            let of_other = set.scope.function.is_some_and(|other| other != function);
            if of_other && !matches!(set.kind, SetKind::Declare | SetKind::Environment) {
                run.forget(&set.name, "another function sets it");
            }
        }
        run
    }

    /// Sets the variable `name` to the value `text`.
    pub(super) fn set(&mut self, name: &str, text: &str) {
        self.run.set(name, Variable::Text(text.into()));
    }

    /// Makes the value of the variable `name` unknown.
    pub(super) fn forget(&mut self, name: &str) {
        self.run.forget(name, "it has several values");
    }

    /// Returns the elements that an assignment states: without those to which `+=` appends. Returns
    /// `None` if only bash can compute their number.
    pub(super) fn assigned(&self, text: &str, set: &Set) -> Option<Vec<Element>> {
        let mut run = self.run.clone();
        let (_, _, variable) = run.assigned(&text[set.at.clone()], set.at.start)?;
        elements(&variable)
    }

    pub(super) fn take(&mut self, text: &str, set: &Set) {
        let assigned = self.run.assigned(&text[set.at.clone()], set.at.start);
        let Some((name, false, variable)) = assigned.filter(|_| !set.scope.is_conditional) else {
            self.known.insert(set.name.clone(), None);
            return self.run.forget(&set.name, "only bash can compute it");
        };
        self.known.insert(name.clone(), elements(&variable));
        self.run.set(&name, variable);
    }

    /// Returns true if a command ran that may set any variable.
    pub(super) fn is_open(&self) -> bool {
        self.run.lost.is_some()
    }

    /// Returns the names of the variables that are set.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str)
    }

    /// Returns the elements of a variable. A variable that is not set has no element. Returns
    /// `None` if only bash can compute the number of elements.
    pub(super) fn elements(&self, name: &str) -> Option<&[Element]> {
        match self.known.get(name) {
            _ if self.is_open() => None,
            Some(elements) => elements.as_deref(),
            None => Some(&[]),
        }
    }

    /// Returns the reason why a part of a variable is open.
    pub(super) fn reason(&self, name: &str) -> Option<&Reason> {
        let variable = self.run.variables.get(name);
        let open = variable.and_then(Variable::reason);
        self.run.lost.as_ref().or(open)
    }

    /// Returns the texts of all elements of a variable; `None` if only bash can compute one of
    /// them.
    pub(super) fn texts(&self, name: &str) -> Option<Vec<&str>> {
        let elements = self.elements(name)?.iter();
        elements.map(|element| element.text.as_deref()).collect()
    }
}

fn elements(variable: &Variable) -> Option<Vec<Element>> {
    let all = variable.elements().ok()?;
    Some(all.iter().map(Element::from).collect())
}
