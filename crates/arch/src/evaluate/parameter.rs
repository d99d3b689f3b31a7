//! Parameter expansion `${…}`: variables with an index and an operator.

use super::expand::{Atom, Mark, WordExpansion, push};
use super::pattern::Pattern;
use super::scan;
use super::values::{Stop, is_own};

/// The index in an expansion, which selects elements of an array: `${a[2]}`, `${a[@]}`, `${a[*]}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Index {
    One(usize),
    /// All elements, each as a word of its own: `@`.
    Each,
    /// All elements, joined by blanks in double quotes: `*`.
    Joined,
}

/// Expands `inside`, the text between `${` and `}`, and adds the result to `out`. `in_double` is
/// true in double quotes.
pub(super) fn expand(
    reader: &mut WordExpansion,
    inside: &str,
    in_double: bool,
    out: &mut Vec<Atom>,
) -> Result<(), Stop> {
    let mark = if in_double {
        Mark::Quoted
    } else {
        Mark::Expanded
    };
    let (is_length, body) = match inside.strip_prefix('#') {
        Some(body) => (true, body),
        None => (false, inside),
    };
    let end =
        scan::name(body).ok_or_else(|| reader.stop("the value uses a special variable of bash"))?;
    let name = &body[..end];
    let (index, operator) =
        index(&body[end..]).ok_or_else(|| reader.stop("the index of an array is computed"))?;
    let found = value(reader, name)?;
    let chosen = match (&found, index) {
        (None, _) => None,
        (Some(all), Index::One(at)) => all.get(at).map(|one| vec![one.clone()]),
        (Some(all), _) => Some(all.clone()),
    };
    if is_length {
        let all = chosen.filter(|_| operator.is_empty());
        let all = all.ok_or_else(|| reader.stop(not_set(name)))?;
        let count = match index {
            Index::One(_) => all[0].chars().count(),
            _ => all.len(),
        };
        push(&count.to_string(), mark, out);
        return Ok(());
    }
    if let Some((operator, operand, or_empty)) = defaulted(operator) {
        if !matches!(index, Index::One(_)) {
            return Err(reader.stop("a default value for an array is not supported"));
        }
        if found.is_none() && !is_own(name) {
            return Err(reader.stop(not_set(name)));
        }
        let chosen = chosen.filter(|all| !(or_empty && all[0].is_empty()));
        return match (operator, chosen) {
            ('-' | '=' | '?', Some(all)) => {
                push(&all[0], mark, out);
                Ok(())
            }
            ('+', None) => Ok(()),
            ('-' | '+', _) => operand_of(reader, operand, in_double, out),
            _ => Err(reader.stop(format!("the value also sets `{name}`"))),
        };
    }
    // An array may be empty. Its first element is empty text then.
    let chosen = match (found.is_some(), chosen) {
        (_, Some(chosen)) => chosen,
        (true, None) => vec![String::new()],
        (false, None) => return Err(reader.stop(not_set(name))),
    };
    let changed = changed(reader, chosen, index, operator, in_double)?;
    if index == Index::Joined && in_double {
        push(&changed.join(" "), mark, out);
        return Ok(());
    }
    reader.is_empty_list |= changed.is_empty();
    for (i, element) in changed.iter().enumerate() {
        if i > 0 {
            out.push(Atom::Break);
            if in_double {
                out.push(Atom::Quotes);
            }
        }
        push(element, mark, out);
    }
    Ok(())
}

fn not_set(name: &str) -> String {
    format!("`{name}` is not set in the PKGBUILD")
}

/// Returns the elements of a variable; `None` for a variable that is not set.
fn value(reader: &WordExpansion, name: &str) -> Result<Option<Vec<String>>, Stop> {
    if reader.values.shadowed.contains(&name) {
        return Err(reader.stop(format!("makepkg sets `{name}` here")));
    }
    reader.values.elements(name)
}

/// Parses the index `[2]`, `[@]` or `[*]` at the start of `rest`. Returns the index and the text
/// behind it. Without an index, returns the first element's. Returns `None` for a computed index.
fn index(rest: &str) -> Option<(Index, &str)> {
    let Some(inside) = rest.strip_prefix('[') else {
        return Some((Index::One(0), rest));
    };
    let (index, rest) = inside.split_once(']')?;
    let index = match index {
        "@" => Index::Each,
        "*" => Index::Joined,
        _ => {
            let is_octal = index.len() > 1 && index.starts_with('0');
            let is_number = index.bytes().all(|byte| byte.is_ascii_digit()) && !is_octal;
            Index::One(index.parse().ok().filter(|_| is_number)?)
        }
    };
    Some((index, rest))
}

/// Splits an operator for a default such as `:-text` into its sign `-`, its operand `text`, and
/// true if it has a colon. Returns `None` for any other operator.
fn defaulted(operator: &str) -> Option<(char, &str, bool)> {
    let bare = operator.strip_prefix(':').unwrap_or(operator);
    let sign = bare.chars().next().filter(|sign| "-+=?".contains(*sign))?;
    Some((sign, &bare[1..], bare.len() < operator.len()))
}

/// Expands the operand of `-` or `+`, such as `text` in `${a:-text}`, and adds the result to `out`.
fn operand_of(
    reader: &WordExpansion,
    operand: &str,
    in_double: bool,
    out: &mut Vec<Atom>,
) -> Result<(), Stop> {
    if in_double {
        // In some words bash itself does not match such quotes correctly.
        if operand.contains(['"', '\'']) {
            return Err(reader.stop("quotes inside of quotes are not supported"));
        }
        return reader.inner(operand).double(out);
    }
    let atoms = reader.inner(operand).unquoted()?;
    out.extend(atoms.into_iter().map(|atom| match atom {
        Atom::Char(c, Mark::Plain) => Atom::Char(c, Mark::Expanded),
        atom => atom,
    }));
    Ok(())
}

/// Returns the elements `all` after `operator` is applied to each, or to the array as a whole:
/// `%.*` and `1.2` -> `1`.
fn changed(
    reader: &WordExpansion,
    all: Vec<String>,
    index: Index,
    operator: &str,
    in_double: bool,
) -> Result<Vec<String>, Stop> {
    let ascii = || all.iter().all(|text| text.is_ascii());
    let each = |change: &dyn Fn(&[char]) -> Vec<char>| {
        let all = all.iter().map(|text| {
            let chars: Vec<char> = text.chars().collect();
            change(&chars).into_iter().collect()
        });
        all.collect::<Vec<String>>()
    };
    match operator {
        "" => return Ok(all),
        ",," if ascii() => {
            return Ok(each(&|text| {
                text.iter().map(char::to_ascii_lowercase).collect()
            }));
        }
        "^^" if ascii() => {
            return Ok(each(&|text| {
                text.iter().map(char::to_ascii_uppercase).collect()
            }));
        }
        "," | "^" if ascii() => {
            return Ok(each(&|text| {
                let mut out = text.to_vec();
                if let Some(first) = out.first_mut() {
                    *first = match operator {
                        "," => first.to_ascii_lowercase(),
                        _ => first.to_ascii_uppercase(),
                    };
                }
                out
            }));
        }
        _ => {}
    }
    for (sign, is_end, is_long) in [
        ("##", false, true),
        ("#", false, false),
        ("%%", true, true),
        ("%", true, false),
    ] {
        let Some(written) = operator.strip_prefix(sign) else {
            continue;
        };
        let pattern = pattern(reader, written)?;
        affordable(reader, &pattern, &all)?;
        return Ok(each(&|text| cut(&pattern, text, is_end, is_long)));
    }
    if let Some(range) = operator.strip_prefix(':') {
        let range = Slice::read(range).ok_or_else(|| reader.stop("the value is computed"))?;
        let none = || reader.stop("bash does not accept the length");
        if matches!(index, Index::One(_)) {
            let cut = |text: &String| {
                let chars: Vec<char> = text.chars().collect();
                range.of(&chars).map(|part| part.iter().collect())
            };
            return all.iter().map(cut).collect::<Option<_>>().ok_or_else(none);
        }
        let is_plain = range.start >= 0 && range.length.is_none_or(|length| length >= 0);
        let part = range.of(&all).filter(|_| is_plain).ok_or_else(none)?;
        return Ok(part.to_vec());
    }
    if let Some(rest) = operator.strip_prefix('/') {
        let replacement = Replacement::read(reader, rest, in_double)?;
        affordable(reader, &replacement.pattern, &all)?;
        return Ok(each(&|text| replacement.apply(text)));
    }
    Err(reader.stop(format!("the operator `{operator}` is not supported")))
}

/// The greatest number of comparisons for one pattern. The pattern is tried at each position of the
/// text.
const MOST_COMPARISONS: usize = 20_000_000;

/// Returns an error if matching `pattern` with the texts `all` would take too long.
fn affordable(reader: &WordExpansion, pattern: &Pattern, all: &[String]) -> Result<(), Stop> {
    let squares = all.iter().map(|text| text.len().saturating_mul(text.len()));
    let squares = squares.fold(0, usize::saturating_add);
    if squares.saturating_mul(pattern.len()) > MOST_COMPARISONS {
        return Err(reader.stop("the value is too long for a pattern"));
    }
    Ok(())
}

/// Parses a written pattern after its variables are replaced.
fn pattern(reader: &WordExpansion, written: &str) -> Result<Pattern, Stop> {
    let mut chars = Vec::new();
    for atom in reader.inner(written).unquoted()? {
        match atom {
            Atom::Char(c, mark) => chars.push((c, mark == Mark::Quoted)),
            Atom::Break => return Err(reader.stop("a pattern contains an array")),
            Atom::Quotes => {}
        }
    }
    Pattern::read(&chars).ok_or_else(|| reader.stop("the pattern is not supported"))
}

/// Returns `text` without the part that matches `pattern`: at the end if `is_end` is true, else at
/// the start. The longest matching part is removed if `is_long` is true, else the shortest.
fn cut(pattern: &Pattern, text: &[char], is_end: bool, is_long: bool) -> Vec<char> {
    if is_end {
        let mut starts = (0..=text.len()).filter(|at| pattern.fits(&text[*at..]));
        let start = if is_long {
            starts.next()
        } else {
            starts.next_back()
        };
        return text[..start.unwrap_or(text.len())].to_vec();
    }
    let ends = pattern.ends(text);
    let end = if is_long { ends.last() } else { ends.first() };
    text[end.copied().unwrap_or(0)..].to_vec()
}

/// The operator `:start:length`, as in `${a:1:2}`.
struct Slice {
    start: isize,
    length: Option<isize>,
}

impl Slice {
    fn read(written: &str) -> Option<Self> {
        let number = |text: &str| {
            let text = text.trim_matches(' ');
            let inside = text
                .strip_prefix('(')
                .and_then(|text| text.strip_suffix(')'));
            let text = inside.unwrap_or(text);
            let digits = text.strip_prefix('-').unwrap_or(text);
            let is_octal = digits.len() > 1 && digits.starts_with('0');
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| is_number && !is_octal)
        };
        let (start, length) = match written.split_once(':') {
            Some((start, length)) => (start, Some(number(length)?)),
            None => (written, None),
        };
        // `${a::1}` has no start.
        let is_left_out = start.is_empty() && length.is_some();
        let start = if is_left_out { 0 } else { number(start)? };
        Some(Self { start, length })
    }

    /// Returns the selected part of the characters of a text, or of the elements of an array.
    /// Returns `None` if bash reports an error.
    fn of<'t, T>(&self, all: &'t [T]) -> Option<&'t [T]> {
        let count = isize::try_from(all.len()).ok()?;
        let start = if self.start < 0 {
            count + self.start
        } else {
            self.start
        };
        if start < 0 || start > count {
            return Some(&[]);
        }
        let end = match self.length {
            Some(length) if length < 0 => count + length,
            Some(length) => start.saturating_add(length).min(count),
            None => count,
        };
        all.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }
}

/// The operator `/pattern/text`, as in `${a/b/c}`, and its variants.
struct Replacement {
    pattern: Pattern,
    with: Vec<char>,
    /// The variant: `/` replaces all matches, `#` a match at the start, `%` a match at the end, and
    /// a blank the first match.
    sign: char,
}

impl Replacement {
    fn read(reader: &WordExpansion, rest: &str, in_double: bool) -> Result<Self, Stop> {
        let sign = rest.chars().next().filter(|sign| "/#%".contains(*sign));
        let rest = if sign.is_some() { &rest[1..] } else { rest };
        let mut end = 0;
        while end < rest.len() && !rest[end..].starts_with('/') {
            end = scan::skip(rest, end).ok_or_else(|| reader.stop("the pattern is not closed"))?;
        }
        let written = rest.get(end + 1..).unwrap_or_default();
        let not_read = |what: &str| reader.stop(format!("the {what} is not supported"));
        if in_double && written.contains(['\'', '"', '\\']) {
            return Err(not_read("replacement"));
        }
        let mut with = Vec::new();
        for atom in reader.inner(written).unquoted()? {
            match atom {
                // Bash 5.2 replaces `&` by the matching text, and older versions don't.
                Atom::Char('&', mark) if mark != Mark::Quoted => {
                    return Err(not_read("replacement"));
                }
                Atom::Char('\\', Mark::Expanded) | Atom::Break => {
                    return Err(not_read("replacement"));
                }
                Atom::Char(c, _) => with.push(c),
                Atom::Quotes => {}
            }
        }
        let is_anchored = matches!(sign, Some('#' | '%'));
        // Bash looks for these signs after it has replaced variables.
        let hidden = sign.is_none() && rest[..end].starts_with(['$', '"', '\'', '\\']);
        let pattern = pattern(reader, &rest[..end])?;
        let starts = pattern.starts_with(&['#', '%', '/']);
        let is_any = pattern.fits(&[]) && (!is_anchored || !pattern.is_empty());
        if is_any || (hidden && starts) {
            return Err(not_read("pattern"));
        }
        let sign = sign.unwrap_or(' ');
        Ok(Self {
            pattern,
            with,
            sign,
        })
    }

    fn apply(&self, text: &[char]) -> Vec<char> {
        if self.sign == '%' {
            let start = (0..=text.len()).find(|at| self.pattern.fits(&text[*at..]));
            return match start {
                Some(start) => [&text[..start], &self.with].concat(),
                None => text.to_vec(),
            };
        }
        let (mut out, mut at, mut is_done) = (Vec::new(), 0, false);
        while at <= text.len() {
            let end = self.pattern.ends(&text[at..]).last().map(|end| at + end);
            match end.filter(|_| !is_done) {
                Some(end) => {
                    out.extend(&self.with);
                    at = end;
                    is_done = self.sign != '/';
                }
                None if at < text.len() => {
                    out.push(text[at]);
                    at += 1;
                    is_done |= self.sign == '#';
                }
                None => break,
            }
            if self.sign == '#' {
                is_done = true;
            }
        }
        out
    }
}
