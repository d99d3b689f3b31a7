//! The counter `release`: history, so it goes on from the recipe that lies where a new one is written.

/// The text of a recipe with its counter continued from the one that lies there: the same for the same version, else one more. What
/// lies there and is no recipe leaves the counter as it was rendered.
pub fn continued(rendered: &str, present: &str) -> String {
    let before = (field(present, "version"), field(present, "release").and_then(|n| n.parse::<u64>().ok()));
    let (Some(version), Some(count)) = before else { return rendered.to_owned() };
    let count = if field(rendered, "version") == Some(version) { count } else { count.saturating_add(1) };
    let mut out = String::with_capacity(rendered.len());
    let mut done = false;
    for line in rendered.split_inclusive('\n') {
        match value(line, "release").filter(|_| !done) {
            Some(old) => {
                out.push_str(&line[..line.len() - end(line) - old.len()]);
                out.push_str(&count.to_string());
                out.push_str(&line[line.len() - end(line)..]);
                done = true;
            }
            None => out.push_str(line),
        }
    }
    out
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
    use super::continued;

    const NEW: &str = "name       : x\nversion    : 7.0.2\nrelease    : 1\nsetup      : |\n    release : 9\n";

    #[test]
    fn the_counter_goes_on() {
        let count = |present| {
            let text = continued(NEW, present);
            assert_eq!(text.lines().count(), NEW.lines().count());
            text.lines().nth(2).unwrap().to_owned()
        };
        assert_eq!(count("version : 6.0.0\nrelease : 5\n"), "release    : 6");
        assert_eq!(count("version    : '7.0.2'\nrelease    : 5\n"), "release    : 5");
        assert_eq!(count("version: 7.14\nrelease: 12\n"), "release    : 13");
        assert_eq!(count("version: '7.0.2' # stays\nrelease: 40 # rebuilt\n"), "release    : 40");
        assert_eq!(count("version: 7.0.2 # stays\nrelease: 40\n"), "release    : 40");
        assert_eq!(count("nothing of the kind"), "release    : 1");
        assert_eq!(count("version : 1\nrelease : many\n"), "release    : 1");
    }
}
