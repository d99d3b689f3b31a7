//! The counter `release`, and sums that no table has: history, so they go on from the recipe that lies where a new one is written.

use crate::sources::DIGITS;

/// The text of a recipe with its counter continued from the one that lies there: the same for the same version, else one more, as where
/// the package is built again. What lies there and is no recipe leaves the counter as it was rendered. A sum that the model lacks is
/// what lies there for the same archive of the same version.
pub fn continued(rendered: &str, present: &str, rebuild: bool) -> String {
    let (Some(version), Some(count)) = (field(present, "version"), count(present)) else {
        return rendered.to_owned();
    };
    let is_same = field(rendered, "version") == Some(version);
    let count = if is_same && !rebuild { count } else { count.saturating_add(1) };
    let lacks = |sum: &str| is_same && is_stand_in(sum);
    with_history(rendered, present, Some(count), lacks)
}

/// A recipe with its counter and the sums of its archives as another one has them.
pub fn comparable(present: &str, base: &str) -> String {
    with_history(present, base, count(base), |_| true)
}

/// The recipe that lies there with the counter of a rendered one, and the sums that it lacks: what becomes of one that hands changed
/// where nothing else is new. One of another version counts for itself.
pub fn recounted(present: &str, rendered: &str) -> String {
    if field(present, "version") != field(rendered, "version") {
        return present.to_owned();
    }
    with_history(present, rendered, count(rendered), is_stand_in)
}

/// A recipe with this counter, and with the sums of another one where they are asked for.
fn with_history(text: &str, other: &str, count: Option<u64>, asked: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut count = count.map(|count| count.to_string());
    for line in text.split_inclusive('\n') {
        let known = |address| other.lines().filter_map(archive).find(|(at, _)| *at == address);
        if let Some(old) = value(line, "release")
            && let Some(count) = count.take()
        {
            out.push_str(&line[..line.len() - end(line) - old.len()]);
            out.push_str(&count);
            out.push_str(&line[line.len() - end(line)..]);
        } else if let Some((address, old)) = archive(line).filter(|(_, sum)| asked(sum))
            && let Some((_, sum)) = known(address)
        {
            out.push_str(&line.replace(old, sum));
        } else {
            out.push_str(line);
        }
    }
    out
}

/// True for the zeros that stand for a sum that nobody knows.
fn is_stand_in(sum: &str) -> bool {
    sum.bytes().all(|b| b == b'0')
}

/// What a recipe counts.
fn count(text: &str) -> Option<u64> {
    field(text, "release")?.parse().ok()
}

/// An archive of `source` with its sum: nothing else of a recipe has this form.
fn archive(line: &str) -> Option<(&str, &str)> {
    let (address, sum) = line.trim().strip_prefix("- ")?.split_once(" : ")?;
    let sum = sum.trim_start_matches(['"', '\'', ' ']);
    let sum = &sum[..sum.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(sum.len())];
    (sum.len() == DIGITS).then_some((address.trim_end(), sum))
}

/// How many bytes of blanks stand at the end of a line.
fn end(line: &str) -> usize {
    line.len() - line.trim_end().len()
}

/// The value of a key at the margin, without quotes around it and a comment behind it.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let value = text.lines().find_map(|l| value(l, key))?;
    match value.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        Some(quote) => value[1..].split(quote).next(),
        None => value.split(" #").next().map(str::trim_end),
    }
}

fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(key)?.trim_start_matches(' ');
    Some(rest.strip_prefix(':')?.trim())
}

#[cfg(test)]
mod tests {
    use super::{comparable, continued, recounted};

    const NEW: &str = "name       : x\nversion    : 7.0.2\nrelease    : 1\nsetup      : |\n    release : 9\n";

    #[test]
    fn the_counter_goes_on() {
        let count = |present| {
            let text = continued(NEW, present, false);
            assert_eq!(text.lines().count(), NEW.lines().count());
            text.lines().nth(2).unwrap().to_owned()
        };
        assert_eq!(count("version : 6.0.0\nrelease : 5\n"), "release    : 6");
        assert_eq!(count("version    : '7.0.2'\nrelease    : 5\n"), "release    : 5");
        assert_eq!(count("version: 7.14\nrelease: 12\n"), "release    : 13");
        assert_eq!(count("version: '7.0.2' # stays\nrelease: 40 # rebuilt\n"), "release    : 40");
        assert_eq!(count("version: 7.0.2 # stays\nrelease: 40\n"), "release    : 40");
        assert_eq!(
            continued(NEW, "version : 7.0.2\nrelease : 5\n", true),
            NEW.replace("release    : 1", "release    : 6")
        );
        assert_eq!(count("nothing of the kind"), "release    : 1");
        assert_eq!(count("version : 1\nrelease : many\n"), "release    : 1");
    }

    #[test]
    fn a_sum_that_the_model_lacks_is_what_lies_there() {
        let recipe = |version: &str, address: &str, sum: &str| {
            format!(
                "version : {version}\nrelease : 1\nsource :\n    - https://{address} : {sum}\n    - git|https://x : v1\n"
            )
        };
        let (zeros, known, other) = ("0".repeat(64), "a1".repeat(32), "b2".repeat(32));
        let new = recipe("2", "e.org/2.tar", &format!("\"{zeros}\""));
        let present = recipe("2", "e.org/2.tar", &format!("'{known}' # fetched"));
        let taken = continued(&new, &present, false);
        assert_eq!(taken, new.replace(&zeros, &known));
        assert_eq!(continued(&new, &taken, false), taken);
        assert_eq!(comparable(&taken, &new), new);
        let by_hand = format!("{present}# by hand\n");
        assert_eq!(recounted(&by_hand, &continued(&new, &by_hand, false)), by_hand);
        let again = continued(&new, &by_hand, true);
        assert_eq!(recounted(&by_hand, &again), by_hand.replace("release : 1", "release : 2"));
        let stated = recipe("2", "e.org/2.tar", &other);
        assert_eq!(continued(&stated, &present, false), stated);
        for present in [recipe("1", "e.org/2.tar", &known), recipe("2", "e.org/1.tar", &known)] {
            assert!(continued(&new, &present, false).contains(&zeros), "{present}");
        }
    }
}
