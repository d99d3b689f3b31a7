//! Changes the values of variables of an existing recipe where they are set, in the layout that
//! they have. `sites.rs` finds the places.

use crate::sites::{Quote, Site, Undecided, printed, sites};
use rocpkg_render::bash::{Quoting, Scope, Script, Stmt, Style, Word, is_bare};
use std::ops::Range;

/// A word of a changed value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewWord {
    /// A word of the old value, by its index.
    Kept(usize),
    /// Another word: an element of an array as its text, or a word of a text as it is written.
    Added(String),
    /// Another element of an array, as it is written: `"$pkgname.patch"`.
    Written(String),
}

impl NewWord {
    /// Returns the text of a word that the old value does not contain.
    fn added(&self) -> Option<&str> {
        match self {
            Self::Kept(_) => None,
            Self::Added(text) | Self::Written(text) => Some(text),
        }
    }
}

/// Returns `new` as a change of `old`: the longest common subsequence is kept.
///
/// ```text
/// old: a b c, new: a x c -> Kept(0), Added(x), Kept(2)
/// ```
pub fn changed(old: &[String], new: &[String]) -> Vec<NewWord> {
    let mut lengths = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            lengths[i][j] = if a == b {
                lengths[i + 1][j + 1] + 1
            } else {
                lengths[i + 1][j].max(lengths[i][j + 1])
            };
        }
    }
    let (mut i, mut out) = (0, Vec::new());
    for (j, word) in new.iter().enumerate() {
        while i < old.len() && old[i] != *word && lengths[i + 1][j] == lengths[i][j] {
            i += 1;
        }
        if i < old.len() && old[i] == *word {
            out.push(NewWord::Kept(i));
            i += 1;
        } else {
            out.push(NewWord::Added(word.clone()));
        }
    }
    out
}

/// A setter of one variable. No other item of the recipe changes.
#[derive(Debug)]
pub struct Setter<'a> {
    /// The recipe.
    pub script: &'a mut Script,
    /// The style in which the recipe is printed.
    pub style: &'a Style,
    /// The name of the variable.
    pub variable: &'a str,
    /// Set for a variable such as `KEYWORDS`, of which the value for a release is meant.
    /// Assignments that only a live version or a pre-release reaches are left as they are.
    pub for_release: bool,
}

impl Setter<'_> {
    /// Changes the value. `change` maps the words of the old value, as written and with the quotes
    /// around the value, to those of the new value. A variable that is not set is set to `fresh`.
    ///
    /// # Errors
    /// Assignments in several branches, in a loop or in a function.
    pub fn set(
        self,
        fresh: Word,
        change: impl FnOnce(&[String]) -> Vec<NewWord>,
    ) -> Result<(), Undecided> {
        let all = self.sites()?;
        let chosen = self.chosen(&all)?;
        let Some(first) = all.first() else {
            return self.insert(|script, variable| script.set(variable, fresh));
        };
        if chosen.is_empty() {
            let touches = |site: &&Site| site.words.first().is_some_and(|(b, _)| b.is_empty());
            let extended: Vec<&Site> = reached(&all).into_iter().filter(touches).collect();
            if !extended.is_empty() {
                return Err(self.undecided("is extended without a blank", &extended));
            }
            let set = Stmt::assign(Scope::Plain, self.variable, fresh);
            self.script.items.insert(first.item, set);
            return Ok(());
        }
        let written: Vec<String> = chosen.iter().flat_map(|site| site.quoted()).collect();
        if let ([site], true) = (chosen.as_slice(), written.is_empty())
            && site.is_alone
            && !site.append
        {
            self.script.items[site.item] = Stmt::assign(Scope::Plain, self.variable, fresh);
            return Ok(());
        }
        let is_only = all.len() == 1 && !self.for_release;
        self.write(&chosen, &change(&written), is_only)
    }

    /// Adds words at the end of the value. A word that `replaces` returns true for is replaced
    /// by the only new word.
    ///
    /// # Errors
    /// Assignments that can't be read.
    pub fn add(
        self,
        words: &[NewWord],
        fresh: Stmt,
        replaces: impl Fn(&str) -> bool,
    ) -> Result<(), Undecided> {
        let all = self.sites()?;
        let Some(last) = all.iter().map(|site| site.last_item).max() else {
            return self.insert(|script, variable| match fresh {
                Stmt::Assign { value, .. } => script.set(variable, value),
                Stmt::Array { items, .. } => {
                    let words = items.into_iter().map(|item| item.word);
                    words.for_each(|word| script.add_element(variable, word));
                }
                _ => {}
            });
        };
        let place = |site: &Site| site.words.iter().position(|(_, word)| replaces(word));
        let certain = reached(&all)
            .into_iter()
            .filter(|site| site.is_met == Some(true));
        let mut own = certain.filter_map(|site| Some((site, place(site)?)));
        if let (Some((site, at)), [word]) = (own.next_back(), words) {
            let mut new = kept(site);
            new[at] = word.clone();
            return self.write(&[site], &new, false);
        }
        let end = all.iter().rposition(|site| site.is_met == Some(true));
        let is_overwritten = |at: usize| all[at + 1..].iter().any(|site| !site.append);
        let Some(end) = end.filter(|at| !is_overwritten(*at)) else {
            let variable = self.variable;
            let more = match fresh {
                Stmt::Assign { .. } => {
                    let words: Vec<&str> = words.iter().filter_map(NewWord::added).collect();
                    format!("{variable}+=\" {}\"\n", words.join(" "))
                }
                array => printed(&array, self.style).replacen('=', "+=", 1),
            };
            let more = Script::read(&more).unwrap_or_default().items;
            let below = self.script.items.split_off(last + 1);
            self.script.items.extend(more.into_iter().chain(below));
            return Ok(());
        };
        let site = &all[end];
        let mut new = kept(site);
        new.extend(words.iter().cloned());
        self.write(&[site], &new, false)
    }

    /// Removes words wherever the variable is set. An assignment that only contained them is
    /// removed too.
    ///
    /// # Errors
    /// No such word; an eclass may add it, or a word that only bash can expand.
    pub fn remove(self, word: &str, is: impl Fn(&str) -> bool) -> Result<(), Undecided> {
        let all = self.sites()?;
        let is_there = |site: &&Site| site.words.iter().any(|(_, word)| is(word));
        let with: Vec<&Site> = all.iter().filter(is_there).collect();
        if with.is_empty() {
            let open = all.iter().flat_map(|site| &site.words);
            let open = open.filter(|(_, word)| word.contains('$'));
            return Err(Undecided {
                name: word.to_owned(),
                reason: format!(
                    "is not in `{}` here; an eclass or an expansion may add it",
                    self.variable
                ),
                places: open.map(|(_, word)| word.clone()).collect(),
            });
        }
        let words = with.iter().flat_map(|site| &site.words).enumerate();
        let kept = words.filter(|(_, (_, word))| !is(word));
        let new: Vec<NewWord> = kept.map(|(at, _)| NewWord::Kept(at)).collect();
        self.write(&with, &new, all.len() == 1)
    }

    /// Adds a statement by `insert`. Returns an error, and changes nothing, if the script sets the
    /// variable in a form that `sites` does not know.
    fn insert(self, insert: impl FnOnce(&mut Script, &str)) -> Result<(), Undecided> {
        let mut script = self.script.clone();
        insert(&mut script, self.variable);
        if script.items.len() == self.script.items.len() {
            return Err(self.undecided("is set in an unknown form", &[]));
        }
        *self.script = script;
        Ok(())
    }

    fn sites(&self) -> Result<Vec<Site>, Undecided> {
        sites(self.script, self.style, self.variable, self.for_release)
    }

    /// Returns the assignments that the value consists of.
    fn chosen<'s>(&self, all: &'s [Site]) -> Result<Vec<&'s Site>, Undecided> {
        let reached = reached(all);
        let is_one = self.for_release && reached.len() == 1 && reached[0].is_in_branch;
        let is_certain = |site: &&Site| site.is_met == Some(true) || is_one;
        let (certain, other): (Vec<&Site>, Vec<&Site>) = reached.into_iter().partition(is_certain);
        if other.iter().all(|site| site.append) {
            return Ok(certain);
        }
        Err(self.undecided("is set in a branch or a loop", &other))
    }

    fn undecided(&self, reason: &str, sites: &[&Site]) -> Undecided {
        Undecided {
            name: self.variable.to_owned(),
            reason: reason.to_owned(),
            places: sites.iter().map(|site| site.place.clone()).collect(),
        }
    }

    /// Writes the words `new` of the value that the assignments `sites` make. A `+=` without words
    /// is removed. Without words, so is an assignment that is the only one.
    fn write(self, sites: &[&Site], new: &[NewWord], is_only: bool) -> Result<(), Undecided> {
        let (mut edits, mut gone) = (Vec::new(), Vec::new());
        for (site, new) in sites.iter().zip(by_site(sites, new)) {
            if new == kept(site) {
                continue;
            }
            if new.is_empty() && site.is_alone && (site.append || is_only) {
                gone.push(site.item);
            } else {
                edits.push((site.item, site.value.clone(), site.with(&new)));
            }
        }
        replaced(self.script, self.style, &edits)
            .ok_or_else(|| self.undecided("has a value that can't be written", sites))?;
        for item in gone.into_iter().rev() {
            self.script.items.remove(item);
        }
        Ok(())
    }
}

fn kept(site: &Site) -> Vec<NewWord> {
    (0..site.words.len()).map(NewWord::Kept).collect()
}

/// Returns the assignments that bash may reach and that no later one overwrites.
fn reached(all: &[Site]) -> Vec<&Site> {
    let may_be = |site: &&Site| site.is_met != Some(false);
    let all: Vec<&Site> = all.iter().filter(may_be).collect();
    let is_new = |site: &&Site| site.is_met == Some(true) && !site.append;
    let from = all.iter().rposition(is_new);
    all[from.unwrap_or(0)..].to_vec()
}

/// A change of the printed text of an item: the index of the item, the range and the new text.
pub(crate) type Edit = (usize, Range<usize>, String);

/// Makes changes, which are in the order of the script. Returns `None`, and changes nothing, if a
/// text can't be read then.
pub(crate) fn replaced(script: &mut Script, style: &Style, edits: &[Edit]) -> Option<()> {
    let mut items = script.items.clone();
    for of_item in edits.chunk_by(|a, b| a.0 == b.0) {
        let item = of_item.first()?.0;
        let mut text = printed(&items[item], style);
        for (_, range, new) in of_item.iter().rev() {
            text.replace_range(range.clone(), new);
        }
        let mut read = Script::read(&text).ok()?.items;
        items[item] = read.pop().filter(|_| read.is_empty())?;
    }
    script.items = items;
    Some(())
}

/// Divides the words of a value by the assignments that make it. A new word belongs to the
/// assignment of the word that it replaces, else to that of the word before it.
fn by_site(sites: &[&Site], new: &[NewWord]) -> Vec<Vec<NewWord>> {
    let mut out = vec![Vec::new(); sites.len()];
    let home = |index: usize| {
        let mut first = 0;
        sites.iter().position(|site| {
            first += site.words.len();
            index < first
        })
    };
    let starts: Vec<usize> = sites
        .iter()
        .scan(0, |at, site| {
            let start = *at;
            *at += site.words.len();
            Some(start)
        })
        .collect();
    let (mut at, mut next) = (0, 0);
    for (i, word) in new.iter().enumerate() {
        match word {
            NewWord::Kept(index) => {
                at = home(*index).unwrap_or(at);
                next = index + 1;
                out[at].push(NewWord::Kept(index - starts[at]));
            }
            NewWord::Added(_) | NewWord::Written(_) => {
                let following = new[i..].iter().find_map(|word| match word {
                    NewWord::Kept(index) => Some(*index),
                    _ => None,
                });
                let is_replaced = following.map_or(home(next).is_some(), |index| next < index);
                if is_replaced || i == 0 {
                    at = home(next).unwrap_or(at);
                }
                out[at].push(word.clone());
            }
        }
    }
    out
}

/// Returns true for a bracket, and for an operator before one.
fn is_sign(word: &str) -> bool {
    matches!(word, "(" | ")") || is_operator(word)
}

fn is_operator(word: &str) -> bool {
    matches!(word, "||" | "^^" | "??") || word.ends_with('?')
}

impl Site {
    /// Returns the words as written, each between the quotes of the value.
    fn quoted(&self) -> Vec<String> {
        let quote = match self.quote {
            Quote::Single => "'",
            Quote::Double => "\"",
            Quote::None | Quote::Array => "",
        };
        let words = self.words.iter();
        words
            .map(|(_, word)| format!("{quote}{word}{quote}"))
            .collect()
    }

    /// Returns the value with other words, in the layout of the old one.
    fn with(&self, new: &[NewWord]) -> String {
        let is_plain = |word: &NewWord| {
            let text = word.added();
            text.is_none_or(|text| !text.contains(['$', '`', '"', '\\', '\'']))
        };
        if self.quote == Quote::Single && !new.iter().all(is_plain) {
            let mut double = self.clone();
            double.quote = Quote::Double;
            for (_, word) in &mut double.words {
                for c in ['\\', '"', '$', '`'] {
                    *word = word.replace(c, &format!("\\{c}"));
                }
            }
            return double.with(new);
        }
        let words = self.laid(new);
        let blank = if words.is_empty() { "" } else { &self.tail };
        let inner: String = words
            .iter()
            .map(|(blank, word)| format!("{blank}{word}"))
            .collect();
        match self.quote {
            Quote::Array => format!("({inner}{blank})"),
            Quote::Single => format!("'{inner}{blank}'"),
            Quote::None if is_bare(&inner) => inner,
            _ => format!("\"{inner}{blank}\""),
        }
    }

    fn laid(&self, new: &[NewWord]) -> Vec<(String, String)> {
        let old = &self.words;
        let mut out: Vec<(String, String)> = Vec::new();
        let (mut next, mut i) = (0, 0);
        loop {
            let gap = new[i..].iter();
            let gap: Vec<(&NewWord, &str)> =
                gap.map_while(|word| Some((word, word.added()?))).collect();
            i += gap.len();
            let kept = match new.get(i) {
                Some(NewWord::Kept(index)) => *index,
                _ => old.len(),
            };
            let removed = &old[next..kept];
            let signs = gap
                .iter()
                .map(|(_, text)| *text)
                .chain(removed.iter().map(|(_, word)| word.as_str()));
            let is_flat = !signs.into_iter().any(is_sign);
            let mut depth = 0_usize;
            for (j, (word, text)) in gap.iter().enumerate() {
                let own = removed.get(j).filter(|_| j == 0 || is_flat);
                let following = old
                    .get(kept)
                    .map(|(blank, word)| (blank.as_str(), word.as_str()));
                let blank = match own {
                    Some((blank, _)) => blank.clone(),
                    None if depth > 0
                        || *text == "(" && out.last().is_some_and(|(_, w)| is_operator(w)) =>
                    {
                        " ".to_owned()
                    }
                    None => self.blank(&out, following),
                };
                depth += usize::from(*text == "(");
                depth = depth.saturating_sub(usize::from(*text == ")"));
                out.push((blank, self.element(word, text)));
            }
            let Some((blank, word)) = old.get(kept) else {
                return out;
            };
            let mut blank = blank.clone();
            if let Some((first, _)) = removed.first()
                && gap.is_empty()
                && (out.is_empty() || first.contains('\n') && !blank.contains('\n') && word != ")")
            {
                blank.clone_from(first);
            }
            if blank.is_empty() && !out.is_empty() {
                blank.push(' ');
            }
            out.push((blank, word.clone()));
            next = kept + 1;
            i += 1;
        }
    }

    /// Returns a new word as it is written. An element of an array gets the quotes that all others
    /// have, unless it has quotes of its own.
    fn element(&self, word: &NewWord, text: &str) -> String {
        let all_have = |quote| {
            let words = &self.words;
            !words.is_empty() && words.iter().all(|(_, word)| word.starts_with(quote))
        };
        match self.quote {
            _ if matches!(word, NewWord::Written(_)) => text.to_owned(),
            Quote::Array if all_have('\'') => Word::single_quoted(text).print(Quoting::Whole),
            Quote::Array if all_have('"') => Word::quoted(text).print(Quoting::Whole),
            Quote::Array => Word::lit(text).print(Quoting::Least),
            _ => text.to_owned(),
        }
    }

    /// Returns the blanks before a new word behind the words `before`: those before the last word
    /// of the same group.
    fn blank(&self, before: &[(String, String)], following: Option<(&str, &str)>) -> String {
        let one = || " ".to_owned();
        let of_next = following.filter(|(blank, word)| *word != ")" && !blank.is_empty());
        let of_next = of_next.map(|(blank, _)| blank.to_owned());
        if before.is_empty() {
            let is_apart = self.append || self.quote == Quote::Array;
            return of_next.unwrap_or_else(|| if is_apart { one() } else { String::new() });
        }
        let mut depth = 0_usize;
        for (i, (blank, word)) in before.iter().enumerate().rev() {
            match word.as_str() {
                ")" => depth += 1,
                "(" if depth == 0 => return of_next.unwrap_or_else(one),
                "(" => depth -= 1,
                _ if depth == 0 => {
                    // The first word may touch the quote. The one after it shows the layout.
                    let shown = if i == 0 && blank.is_empty() {
                        of_next.unwrap_or_else(one)
                    } else {
                        blank.clone()
                    };
                    let line = shown
                        .rfind('\n')
                        .filter(|_| shown.matches('\n').count() > 1);
                    return line.map_or(shown.clone(), |at| shown[at..].to_owned());
                }
                _ => {}
            }
        }
        of_next.unwrap_or_else(one)
    }
}
