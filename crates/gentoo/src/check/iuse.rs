//! The flags that an ebuild or an eclass adds to IUSE, as patterns: `llvm_slot_*` for flags that a
//! loop adds.

use rocpkg_syntax::glob;
use rocpkg_syntax::words::{Piece, Word, split};
use rocpkg_syntax::{Script, Set};
use std::collections::BTreeSet;

/// The deepest nesting of variables that is followed. Deeper nesting is taken for a cycle.
const MOST_LEVELS: usize = 8;

/// The greatest number of words that are read for one list. The rest of a list is not known.
const MOST_WORDS: usize = 1 << 12;

/// The state while a list is read: the variables that are being read (`open`), each nested in the
/// one before, and the number of words that may follow (`left`).
struct ListWalk {
    open: Vec<String>,
    left: usize,
}

/// A bash text whose lists are read: an ebuild or an eclass.
#[derive(Clone, Copy)]
pub(super) struct Lists<'a> {
    pub(super) script: &'a Script,
    pub(super) text: &'a str,
    /// Returns the value of a variable that is set outside of the text.
    pub(super) given: &'a dyn Fn(&str) -> Option<String>,
}

impl Lists<'_> {
    /// Returns the words that a variable may hold. `*` stands for text that is not known.
    pub(super) fn words(self, name: &str) -> BTreeSet<String> {
        let mut out = BTreeSet::new();
        let mut walk = ListWalk {
            open: vec![name.to_owned()],
            left: MOST_WORDS,
        };
        self.variable(name, None, &mut walk, &mut out);
        out
    }

    /// Returns the flags of IUSE without their signs: `+test` → `test`.
    pub(super) fn flags(self) -> BTreeSet<String> {
        let all = self.words("IUSE");
        all.iter()
            .map(|flag| flag.strip_prefix(['+', '-']).unwrap_or(flag).to_owned())
            .collect()
    }

    fn variable(
        self,
        name: &str,
        function: Option<usize>,
        walk: &mut ListWalk,
        out: &mut BTreeSet<String>,
    ) {
        if let Some(value) = (self.given)(name) {
            out.extend(value.split_whitespace().map(str::to_owned));
            return;
        }
        let all: Vec<&Set> = self
            .script
            .sets
            .iter()
            .filter(|set| set.name == name)
            .collect();
        // A variable that the function sets hides the others.
        let own = |set: &&&Set| function.is_some() && set.scope.function == function;
        let own: Vec<&Set> = all.iter().filter(own).copied().collect();
        let sets = if own.is_empty() { all } else { own };
        if sets.is_empty() {
            out.insert("*".to_owned());
        }
        for set in sets {
            if set.value_at.is_empty() {
                let is_declared = set.kind == rocpkg_syntax::SetKind::Declare
                    || self.text[set.at.clone()].ends_with('=');
                if !is_declared {
                    out.insert("*".to_owned());
                }
                continue;
            }
            let value = &self.text[set.value_at.clone()];
            let words = if value.starts_with('(') {
                split(self.text, set.value_at.start + 1, set.value_at.end - 1)
            } else {
                split(self.text, set.value_at.start, set.value_at.end)
            };
            for word in &words {
                self.word(word, set.scope.function, walk, out);
            }
        }
    }

    /// Adds the words that bash makes of one word by expanding variables and splitting at blanks.
    fn word(
        self,
        word: &Word,
        function: Option<usize>,
        walk: &mut ListWalk,
        out: &mut BTreeSet<String>,
    ) {
        walk.left = walk.left.saturating_sub(1);
        let mut token = String::new();
        for (i, piece) in word.pieces.iter().enumerate() {
            let found = match piece {
                Piece::Text(text) => {
                    for c in text.chars() {
                        if c.is_whitespace() {
                            flush(&mut token, out);
                        } else {
                            token.push(c);
                        }
                    }
                    continue;
                }
                Piece::Variable(name) => self.inside(name, "", function, walk),
                Piece::Other(text) => self.other(text, function, walk),
            };
            let behind = match word.pieces.get(i + 1) {
                Some(Piece::Text(text)) => text.starts_with(char::is_whitespace),
                Some(_) => false,
                None => true,
            };
            if token.is_empty() && behind {
                out.extend(found);
                continue;
            }
            // A single value in the middle of a word becomes part of the word.
            match found.iter().next().filter(|_| found.len() == 1) {
                Some(value) => token.push_str(value),
                None => token.push('*'),
            }
        }
        flush(&mut token, out);
    }

    /// Returns the words of an expansion: `${NAME[@]/#/cpu_}` for `NAME=( a b )` → `cpu_a`,
    /// `cpu_b`. Returns `*` for other forms of expansions, whose value is not known.
    fn other(self, text: &str, function: Option<usize>, walk: &mut ListWalk) -> BTreeSet<String> {
        let unknown = || BTreeSet::from(["*".to_owned()]);
        let Some(inside) = text.strip_prefix("${").and_then(|t| t.strip_suffix('}')) else {
            return unknown();
        };
        let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (name, rest) = inside.split_at(end.unwrap_or(inside.len()));
        let rest = rest
            .strip_prefix("[@]")
            .or_else(|| rest.strip_prefix("[*]"))
            .unwrap_or(rest);
        if name.is_empty() {
            return unknown();
        }
        match rest {
            "" => self.inside(name, "", function, walk),
            _ if rest.starts_with('[') && rest.ends_with(']') => {
                self.inside(name, "", function, walk)
            }
            _ => match rest.strip_prefix("/#/") {
                Some(head) if !head.contains('$') => self.inside(name, head, function, walk),
                _ => unknown(),
            },
        }
    }

    fn inside(
        self,
        name: &str,
        head: &str,
        function: Option<usize>,
        walk: &mut ListWalk,
    ) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let open = &mut walk.open;
        if walk.left == 0 {
            found.insert("*".to_owned());
        } else if !open.iter().any(|other| other == name) && open.len() < MOST_LEVELS {
            open.push(name.to_owned());
            self.variable(name, function, walk, &mut found);
            walk.open.pop();
        } else if open.first().is_none_or(|first| first != name) {
            // A list that is built from itself has the same words, unless a prefix is added.
            let is_self = open.last().is_some_and(|last| last == name);
            if !is_self || !head.is_empty() {
                found.insert("*".to_owned());
            }
        }
        found.iter().map(|word| format!("{head}{word}")).collect()
    }
}

fn flush(token: &mut String, out: &mut BTreeSet<String>) {
    if !token.is_empty() {
        out.insert(std::mem::take(token));
    }
}

/// Returns true if a list has words whose beginning is not known, such as `*`. A pattern such as
/// `llvm_slot_*` does not count.
pub(super) fn is_open(flags: &BTreeSet<String>) -> bool {
    flags.iter().any(|flag| glob::is_open(flag))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(text: &str) -> Vec<String> {
        let script = Script::read(text).expect("bash");
        let lists = Lists {
            script: &script,
            text,
            given: &|_| None,
        };
        lists.flags().into_iter().collect()
    }

    #[test]
    fn lists_are_followed() {
        assert_eq!(flags("IUSE=\"+a b\"\nIUSE+=\" c\"\n"), ["a", "b", "c"]);
        let heads = "X=( a b )\nIUSE=\"${X[@]/#/+cpu_} d\"\n";
        assert_eq!(flags(heads), ["cpu_a", "cpu_b", "d"]);
        let circle =
            "f() {\n local x=( \"${Y[@]}\" )\n x=( \"${x[@]/#/t_}\" )\n IUSE=\"${x[*]}\"\n}\n";
        assert_eq!(flags(circle), ["*", "t_*"]);
        assert_eq!(flags("for x in a b; do IUSE+=\" g_${x}\"; done\n"), ["g_*"]);
        assert_eq!(flags("IUSE=\"a ${FOO}\"\n"), ["*", "a"]);
        assert_eq!(flags("IUSE=\"${IUSE} debug\"\n"), ["debug"]);
    }
}
