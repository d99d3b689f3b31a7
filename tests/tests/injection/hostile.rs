//! Strings that mean harm, each with a name of its own by which it is found again.

/// A source of numbers that anybody can repeat (xorshift, Marsaglia 2003).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % end.max(1)
    }

    /// True once in so many throws.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// The program that no recipe calls unless a string became code.
pub(crate) const PROGRAM: &str = "PWNED";
/// The file that none writes.
pub(crate) const CANARY: &str = "canary";
/// What the file holds that none reads.
pub(crate) const SECRET: &str = "THE-SECRET";

/// What a string may be made of. Signs that are the language of a place itself (patterns, references) stand in few.
const PIECES: &[&str] = &[
    "$$(PWNED)",
    "`PWNED`",
    "$$(< secret)",
    "\"; PWNED; \"",
    "'; PWNED; '",
    "\nPWNED\n",
    ")\nPWNED\nA=(",
    "| PWNED",
    "&& PWNED",
    "|| PWNED",
    "& PWNED &",
    "; PWNED",
    ";PWNED;",
    " > canary",
    ">canary",
    "\" > canary; \"",
    "< secret",
    "# ",
    " #PWNED",
    "\\",
    "\\\n",
    "\"",
    "'",
    "''",
    "'''",
    "''$$",
    "''\\${PWNED}",
    "$${PWNED}",
    "''$${builtins.PWNED}",
    "$$$$",
    "$$",
    "$",
    "$'PWNED'",
    "~",
    "=",
    "+=",
    " A=B PWNED ",
    "\t",
    "\n",
    " ",
    "  ",
    "%s%n",
    "-n",
    "é",
    "EOF",
    "\nEOF\n",
    "fi; PWNED; if",
    "}; PWNED; {",
    "}\nPWNED() {",
    "done",
    ")",
    "(",
    "!",
    "^",
    "&",
    "|",
    "/",
    ",",
    ":",
    ".",
    "-",
    "+",
    "@",
    "</flag><PWNED/>",
    "&PWNED;",
    "*/ PWNED /*",
    "{{ PWNED }}",
    "{% PWNED %}",
];

/// Pieces that nothing may let pass, or that are patterns of the shell where files are named.
const RARE: &[&str] = &[
    "\u{202e}",
    "\u{2066}",
    "\u{1b}[31m",
    "\0",
    "\r",
    "\u{7f}",
    "../",
    "../../../../../../canary",
    "*",
    "?",
    "{a,b}",
    "[$$(PWNED)]",
    "${PWNED}",
    "${x:=PWNED}",
    "${version}",
    "${name}",
    "${glob:*}",
    "s/a/b/e",
    "\ne PWNED",
    "\nw canary",
];

/// The numbers of the strings that a text holds or begins to hold.
pub(crate) fn tags(text: &str) -> Vec<usize> {
    let parts = text.split('Q').skip(1);
    parts.filter_map(|part| part.split_once('q').and_then(|(number, _)| number.parse().ok())).collect()
}

/// A string and what it is called.
#[derive(Clone, Debug)]
pub(crate) struct Hostile {
    /// Stands at its beginning between two letters, so that it is found wherever it goes.
    pub(crate) number: usize,
    /// As a profile writes it.
    pub(crate) written: String,
}

impl Hostile {
    pub(crate) fn new(number: usize, dice: &mut Dice) -> Self {
        let mut written = format!("Q{number}q");
        for _ in 0..=dice.below(3) {
            written.push_str(if dice.one_in(12) { dice.pick(RARE) } else { dice.pick(PIECES) });
        }
        Self { number, written }
    }

    /// The text that it stands for where `$$` is a dollar; nothing when it holds a reference.
    pub(crate) fn meant(&self) -> Option<String> {
        rocpkg::model::Text::parse(&self.written, rocpkg::model::Span::default()).ok()?.as_literal()
    }
}
