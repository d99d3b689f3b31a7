//! Commands of functions that the existing recipe runs in other words: with helper variables, or
//! in a helper function.

use crate::changes::Change;
use crate::settle::Checks;
use crate::three_way::ThreeWay;
use rocpkg_syntax::{Node, RunCommand};

/// The commands of three texts at the new version.
pub(crate) struct Ran {
    existing: Vec<RunCommand>,
    before: Vec<RunCommand>,
    after: Vec<RunCommand>,
}

/// The end of the name of a step that sets a variable.
const SETS: char = '=';

/// The beginning of a command whose output is a part of a word.
const SUBSTITUTION: &str = "$(";

impl Ran {
    /// Follows the functions of the recipe `text` and of the two renderings.
    pub(crate) fn of(three: ThreeWay, checks: Checks, text: &str) -> Self {
        let all = |text: &str| {
            let mut all = (checks.commands)(text);
            all.retain(|command| {
                let is_set = command.words[0].ends_with(SETS);
                !is_set && !text[..command.at].ends_with(SUBSTITUTION)
            });
            all
        };
        Self {
            existing: all(text),
            before: all(&three.before.text),
            after: all(&three.after.text),
        }
    }

    /// Returns true if the recipe runs the commands that a change adds, and none of those that it
    /// removes. A command that the old rendering runs too is moved, and not added.
    pub(crate) fn has(&self, change: &Change) -> bool {
        let function = change.path.first().map(|key| key.open.as_str());
        let Some(function) = function.and_then(|key| key.strip_suffix("()")) else {
            return false;
        };
        let (old, new) = change.what.sides();
        let (old, new) = (
            of(&self.before, function, old),
            of(&self.after, function, new),
        );
        let count = |all: &[RunCommand], one: &RunCommand| all.iter().filter(|o| o.is(one)).count();
        let has = |one: &&RunCommand| count(&self.existing, one) >= count(&self.after, one);
        let lacks = |one: &&RunCommand| count(&self.existing, one) <= count(&self.after, one);
        let is_new = |one: &&RunCommand| count(&self.before, one) < count(&self.after, one);
        new.iter().any(is_new) && new.iter().all(has) && old.iter().all(lacks)
    }
}

/// Returns the commands of `function` that are in the items `nodes`.
fn of<'a>(all: &'a [RunCommand], function: &str, nodes: &[Node]) -> Vec<&'a RunCommand> {
    let is_in = |command: &RunCommand| nodes.iter().any(|node| node.at.contains(&command.at));
    let all = all.iter();
    all.filter(|command| command.function == function && is_in(command))
        .collect()
}
