//! Lowers the values of CMake arguments, and variables of the environment.

use crate::dialect::{Dialect, conditional};
use crate::operation::Place;
use crate::targets::pass_argument;
use indexmap::IndexMap;
use rocpkg_model::{Argument, ArgumentValue, EnvironmentVariable, OneOrMany, Text};
use rocpkg_render::bash::{Scope, Stmt, Word};

/// Returns the word for the value of a CMake argument, or `None` for an argument without a value,
/// such as `-Wno-dev`.
pub fn value<D: Dialect>(d: &mut D, argument: &Argument) -> Option<Word> {
    let switch = |on: bool| Word::lit(if on { "ON" } else { "OFF" });
    Some(match &argument.value {
        ArgumentValue::Bare => return None,
        ArgumentValue::Bool(on) => switch(*on),
        ArgumentValue::When(when) => d.choose(when, switch(true), switch(false)),
        ArgumentValue::Text(text) => d.word(text, Place::One),
        ArgumentValue::Choice(when, yes, no) => {
            let (yes, no) = (d.word(yes, Place::One), d.word(no, Place::One));
            d.choose(when, yes, no)
        }
    })
}

/// Returns the variables that are set for one command (`CC=clang make`), each with its name and its
/// word.
pub fn variables<D: Dialect>(d: &mut D, map: &IndexMap<String, Text>) -> Vec<(String, Word)> {
    map.iter()
        .map(|(name, text)| (name.clone(), d.word(text, Place::One)))
        .collect()
}

/// Returns the statements that set the environment of a phase. A variable is exported, or set
/// inside the phase's function only if the profile declares it `local`.
pub fn environment<D: Dialect>(
    d: &mut D,
    map: &IndexMap<String, OneOrMany<EnvironmentVariable>>,
) -> Vec<Stmt> {
    let mut out = Vec::new();
    for (name, values) in map {
        for v in &values.0 {
            let value = d.word(&v.value, Place::One);
            // Without CMake, upstream's own script reads the list of GPU targets from the
            // environment.
            let p = d.inputs().planned;
            if p.package.cmake.is_empty() && p.reads(name) && p.settles(v.when.as_ref()) {
                pass_argument(d, name, &ArgumentValue::Text(v.value.clone()), &value);
            }
            let stmt = if v.local {
                d.local_environment(name, value)
            } else {
                Stmt::assign(Scope::Export, name, value)
            };
            out.extend(conditional(
                d,
                v.when.as_ref(),
                v.comment.as_deref(),
                vec![stmt],
            ));
        }
    }
    out
}
