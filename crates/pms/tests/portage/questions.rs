//! Generates questions of all five operations from a seed. Some of them are broken.

use serde_json::{Value, json};

/// A small generator of random numbers (`SplitMix64`). The same seed yields the same questions on
/// every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a random number that is less than `end`.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    /// Returns true with a probability of 1 in `of`.
    fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const FLAGS: [&str; 8] = [
    "a",
    "b",
    "c",
    "amdgpu_targets_gfx90a",
    "X",
    "2d",
    "c++",
    "l10n_pt-BR@x",
];
const BAD_FLAGS: [&str; 7] = ["_a", "-a", "+a", "a.b", "", "!a", "ä"];
const CATEGORIES: [&str; 6] = ["a", "sci-libs", "dev-util", "_c", "c.d+e", "x11-libs"];
const PACKAGES: [&str; 10] = [
    "b", "rocBLAS", "foo-bar", "foo-1xy", "a-b2", "c++", "_p", "foo-r1", "b-1-foo", "2b",
];
const BAD_NAMES: [&str; 9] = [
    "b-1", "b-1-r2", "b-1a_p2", "-b", "+b", "b.c", "", "b/c", "b-1-2",
];
const SLOTS: [&str; 7] = ["0", "7.2", "0/7.2", "_1", "3/3.12-x+y", "0/0", "stable"];
const BAD_SLOTS: [&str; 9] = ["", "0/", "/1", "-1", "+0", ".1", "0*", "0/1/2", "0:1"];
/// Texts that are inserted into a valid text to break it.
const JUNK: [&str; 38] = [
    "(", ")", "||", "^^", "??", "->", "!", "?", "=", "*", "~", "<", ">", ":", "::", "/", "[", "]",
    ",", "-", "_", ".", "0", "1", "r", "p", "a", " ", "\t", "\u{a0}", "\u{1f}", "\0", "ä", "-r1",
    "(+)", "\n", "!!", "٣",
];

fn digits(random: &mut Random) -> String {
    match random.below(12) {
        0 => "0".to_owned(),
        1 => format!("0{}", random.below(30)),
        2 => format!("00{}", random.below(3)),
        3 => "20240101000000000000000000000".to_owned(),
        4 => format!("{}0", random.below(4)),
        _ => random.below(13).to_string(),
    }
}

pub(crate) fn version(random: &mut Random) -> String {
    let mut text = digits(random);
    for _ in 0..random.below(4) {
        text.push('.');
        text.push_str(&digits(random));
    }
    if random.one_in(4) {
        text.push_str(random.pick(&["a", "b", "p", "z"]));
    }
    for _ in 0..[0, 0, 0, 1, 1, 2][random.below(6)] {
        text.push_str(random.pick(&["_alpha", "_beta", "_pre", "_rc", "_p"]));
        if !random.one_in(3) {
            text.push_str(&digits(random));
        }
    }
    if random.one_in(3) {
        text.push_str("-r");
        text.push_str(&digits(random));
    }
    text
}

/// Returns a version that differs little from `text`, and now and then a text that is not a
/// version.
fn near(random: &mut Random, text: &str) -> String {
    let text = if random.one_in(20) {
        text
    } else {
        text.split_once("-r").map_or(text, |(base, _)| base)
    };
    match random.below(9) {
        0 => text.to_owned(),
        1 => format!("{text}-r{}", random.below(2)),
        2 => format!("{text}_p{}", random.below(2)),
        3 => format!("{text}.{}", digits(random)),
        4 => format!("0{text}"),
        5 => text.replacen(".0", ".00", 1),
        6 => format!("{text}-r0{}", random.below(3)),
        7 => format!("{text}{}", random.below(10)),
        _ => version(random),
    }
}

fn name(random: &mut Random, good: &'static [&'static str]) -> &'static str {
    if random.one_in(40) {
        random.pick(&BAD_NAMES)
    } else {
        random.pick(good)
    }
}

fn flag(random: &mut Random) -> &'static str {
    if random.one_in(60) {
        random.pick(&BAD_FLAGS)
    } else {
        random.pick(&FLAGS)
    }
}

fn use_dep(random: &mut Random) -> String {
    let (before, after) = match random.below(14) {
        0..=3 => ("", ""),
        4..=6 => ("-", ""),
        7..=8 => ("", "?"),
        9..=10 => ("!", "?"),
        11 => ("", "="),
        12 => ("!", "="),
        _ => [("-", "?"), ("!", ""), ("-", "="), ("+", "")]
            [random.below(4) * usize::from(random.one_in(4))],
    };
    // Most of the time a flag has the same default, so that long lists stay consistent.
    let flag = flag(random);
    let usual = ["", "(-)", "(+)"][flag.len() % 3];
    let default = if random.one_in(15) {
        random.pick(&["(+)", "(-)", "", "(*)", "()"])
    } else {
        usual
    };
    format!("{before}{flag}{default}{after}")
}

fn cpn(random: &mut Random) -> String {
    format!("{}/{}", name(random, &CATEGORIES), name(random, &PACKAGES))
}

fn after_package(random: &mut Random, text: &mut String) {
    if random.one_in(3) {
        let slot = if random.one_in(10) {
            random.pick(&BAD_SLOTS)
        } else {
            random.pick(&SLOTS)
        };
        text.push(':');
        text.push_str(match random.below(6) {
            0 => "=",
            1 => "*",
            _ => slot,
        });
        if random.one_in(4) {
            text.push('=');
        }
    }
    if random.one_in(8) {
        text.push_str("::");
        text.push_str(random.pick(&["gentoo", "my-overlay", "_x", "-x", "", "a.b"]));
    }
    if random.one_in(3) {
        let count = 1 + random.below(5);
        let entries: Vec<String> = (0..count).map(|_| use_dep(random)).collect();
        text.push_str(&format!("[{}]", entries.join(",")));
    }
}

pub(crate) fn atom(random: &mut Random) -> String {
    let mut text = random.pick(&["", "", "", "", "!", "!!"]).to_owned();
    let operator = random.pick(&["", "", "", "=", "=", "~", ">=", "<=", ">", "<"]);
    text.push_str(operator);
    text.push_str(&cpn(random));
    if !operator.is_empty() || random.one_in(40) {
        text.push('-');
        text.push_str(&version(random));
        if random.one_in(150) {
            text.push_str(&format!("-{}", random.below(20)));
        }
        if (operator == "=" && random.one_in(2)) || random.one_in(40) {
            text.push('*');
        }
    }
    after_package(random, &mut text);
    text
}

/// Returns `text` with one or two random changes. The result may be invalid.
fn mutate(random: &mut Random, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(2) {
        let at = random.below(chars.len() + 1);
        match random.below(4) {
            0 if at < chars.len() => {
                chars.remove(at);
            }
            1 if at + 1 < chars.len() => chars.swap(at, at + 1),
            2 if at < chars.len() => {
                let junk = random.pick(&JUNK).chars();
                chars.splice(at..=at, junk);
            }
            _ => {
                let junk = random.pick(&JUNK).chars();
                chars.splice(at..at, junk);
            }
        }
    }
    chars.into_iter().collect()
}

fn space(random: &mut Random) -> &'static str {
    random.pick(&[
        " ", " ", " ", " ", "  ", "\n\t", "\u{a0}", "\u{1f}", "\u{2003}",
    ])
}

/// Writes a random tree as words. `leaf` makes the leaves, and `operators` lists the words that may
/// precede a bracket.
fn tree(
    random: &mut Random,
    depth: usize,
    operators: &[&str],
    leaf: &impl Fn(&mut Random) -> String,
    out: &mut String,
) {
    let count = [0, 1, 1, 1, 2, 2, 3, 4][random.below(8)];
    for _ in 0..count {
        if depth == 0 || random.one_in(2) {
            out.push_str(&leaf(random));
        } else {
            match random.below(3) {
                0 => {}
                1 => out.push_str(&format!("{}{}? ", random.pick(&["", "!"]), flag(random))),
                _ => out.push_str(&format!("{} ", random.pick(operators))),
            }
            out.push('(');
            out.push_str(space(random));
            tree(random, depth - 1, operators, leaf, out);
            out.push(')');
        }
        out.push_str(space(random));
    }
}

fn flags_on(random: &mut Random) -> Vec<&'static str> {
    FLAGS.into_iter().filter(|_| random.one_in(2)).collect()
}

fn required_use(random: &mut Random) -> Value {
    let mut text = String::new();
    let leaf = |random: &mut Random| format!("{}{}", random.pick(&["", "", "!"]), flag(random));
    let depth = 1 + random.below(5);
    tree(random, depth, &["||", "^^", "??"], &leaf, &mut text);
    if random.one_in(8) {
        text = mutate(random, &text);
    }
    let mut iuse = FLAGS.to_vec();
    if random.one_in(10) {
        iuse.remove(random.below(FLAGS.len()));
    }
    json!({ "op": "required_use", "s": text, "on": flags_on(random), "iuse": iuse })
}

fn use_reduce(random: &mut Random) -> Value {
    let mut text = String::new();
    let atoms = random.one_in(3);
    let leaf = |random: &mut Random| match random.below(10) {
        0 if !atoms || random.one_in(8) => random
            .pick(&["^^", "!a", "(x", "x)", "a->b", "|||", "&&", "-", "_"])
            .to_owned(),
        1..=3 => atom(random),
        _ => cpn(random),
    };
    let depth = 1 + random.below(6);
    tree(random, depth, &["||"], &leaf, &mut text);
    if random.one_in(8) {
        text = mutate(random, &text);
    }
    json!({ "op": "use_reduce", "s": text, "on": flags_on(random), "atoms": atoms })
}

fn candidate(random: &mut Random, package: &str, version: &str) -> String {
    let mut text = format!("{package}-{version}");
    if random.one_in(4) {
        text.push(':');
        text.push_str(random.pick(&SLOTS));
    }
    if random.one_in(8) {
        text.push_str(random.pick(&["::gentoo", "::my-overlay"]));
    }
    if random.one_in(30) {
        mutate(random, &text)
    } else {
        text
    }
}

fn matching(random: &mut Random) -> Value {
    let (package, wanted) = (cpn(random), version(random));
    let found = near(random, &wanted);
    let other = match random.below(10) {
        0 => cpn(random),
        1 => format!("{package}-x"),
        2 => format!("{package}x"),
        _ => package.clone(),
    };
    let candidate = if random.one_in(30) {
        // A package whose name begins with the whole atom, but is another package.
        format!("{package}-{wanted}-foo-1")
    } else {
        candidate(random, &other, &found)
    };
    let operator = random.pick(&["", "=", "=", "~", ">=", "<=", ">", "<"]);
    let mut text = format!(
        "{}{operator}{package}",
        random.pick(&["", "", "", "!", "!!"])
    );
    if !operator.is_empty() {
        text.push_str(&format!("-{wanted}"));
        if operator == "=" && random.one_in(2) {
            text.push('*');
        }
    }
    after_package(random, &mut text);
    json!({ "op": "match", "atom": text, "cpv": candidate })
}

/// Returns one question, in the form that both this crate and Portage get.
pub(crate) fn question(random: &mut Random) -> Value {
    match random.below(5) {
        0 => {
            let text = atom(random);
            let text = if random.one_in(4) {
                mutate(random, &text)
            } else {
                text
            };
            json!({ "op": "atom", "s": text })
        }
        1 => required_use(random),
        2 => use_reduce(random),
        3 => {
            let a = version(random);
            let b = near(random, &a);
            let (a, b) = match random.below(20) {
                0 => (mutate(random, &a), b),
                1 => (a, mutate(random, &b)),
                3 => (a, b + random.pick(&["\n", "٣", " ", "-r"])),
                2 => {
                    let broken = mutate(random, &a);
                    (broken.clone(), broken)
                }
                _ => (a, b),
            };
            json!({ "op": "vercmp", "a": a, "b": b })
        }
        _ => matching(random),
    }
}

/// Returns a `match` question about a package with flags and an atom with USE dependencies. The
/// question is always valid.
pub(crate) fn fit(random: &mut Random) -> Value {
    let (package, slot) = ("sci-libs/rocBLAS", random.pick(&["0", "0/7.2"]));
    let mut entries: Vec<String> = Vec::new();
    for _ in 0..=random.below(4) {
        let (before, after) = [
            ("", ""),
            ("-", ""),
            ("", "?"),
            ("!", "?"),
            ("", "="),
            ("!", "="),
        ][random.below(6)];
        let flag = random.below(5);
        entries.push(format!(
            "{before}{}{}{after}",
            FLAGS[flag],
            ["", "(-)", "(+)", "(-)", "(+)"][flag]
        ));
    }
    let place = random.pick(&["", ":0", ":0/7.2", ":=", ":0=", ":1"]);
    let atom = format!(
        "{}{package}{place}[{}]",
        random.pick(&["", "", "!"]),
        entries.join(",")
    );
    let (iuse, on) = (flags_on(random), flags_on(random));
    let on: Vec<&str> = on.into_iter().filter(|flag| iuse.contains(flag)).collect();
    json!({
        "op": "fit", "atom": atom, "cpv": format!("{package}-7.2.0"), "slot": slot,
        "repo": random.pick(&["gentoo", "x"]), "iuse": iuse, "on": on, "here": flags_on(random),
    })
}
