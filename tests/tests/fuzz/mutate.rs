//! Texts made of those that are there: bytes changed, parts taken out, doubled or put in from another text, words of the language added.

/// Numbers that follow from a seed: the same on every machine (`SplitMix64`).
pub(crate) struct Dice(u64);

impl Dice {
    /// Dice for a seed and a name.
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        Self(name.bytes().fold(seed, |sum, b| sum.wrapping_mul(0x100_0000_01b3) ^ u64::from(b)))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 when that is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = end.max(1) as u64;
        usize::try_from(self.next() % end).expect("it is below an usize")
    }

    /// A range of a text of `length` bytes; short ones more often.
    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        let most = [1, 4, 16, length][self.below(4)].min(length - start);
        start..start + self.below(most + 1)
    }
}

/// Bytes that most languages read as their own.
const SIGNS: &[u8] = b"\0\n\r\t !\"#$%&'()*+,-./0123456789:;<=>?@AZ[\\]^_`az{|}~\x7f\x80\xc3\xff";

/// Characters that are more than one byte, and some that show themselves as nothing.
const WIDE: [&str; 6] = ["\u{e9}", "\u{85}", "\u{2028}", "\u{202e}", "\u{feff}", "\u{1f600}"];

/// A text made of one of `seeds`, at most `longest` bytes long.
pub(crate) fn mutated(seeds: &[Vec<u8>], words: &[Vec<u8>], longest: usize, dice: &mut Dice) -> Vec<u8> {
    let mut text = seeds[dice.below(seeds.len())].clone();
    for _ in 0..=dice.below(5) {
        let at = dice.below(text.len() + 1);
        match dice.below(9) {
            0 if at < text.len() => text[at] ^= 1 << dice.below(8),
            1 if at < text.len() => text[at] = SIGNS[dice.below(SIGNS.len())],
            2 => text.insert(at, SIGNS[dice.below(SIGNS.len())]),
            3 => drop(text.drain(dice.range(text.len()))),
            4 => {
                let part = text[dice.range(text.len())].to_vec();
                let times = [1, 2, 40][dice.below(3)];
                text.splice(at..at, part.repeat(times));
            }
            5 if !words.is_empty() => {
                text.splice(at..at, words[dice.below(words.len())].iter().copied());
            }
            6 if !words.is_empty() => {
                let range = dice.range(text.len());
                text.splice(range, words[dice.below(words.len())].iter().copied());
            }
            7 => {
                let other = &seeds[dice.below(seeds.len())];
                text.splice(at..at, other[dice.range(other.len())].iter().copied());
            }
            8 => {
                text.splice(at..at, WIDE[dice.below(WIDE.len())].bytes());
            }
            _ => text.truncate(at),
        }
    }
    text.truncate(longest);
    text
}

/// The words of a dictionary as libFuzzer has it: a quoted word on each line, with `\\`, `\"` and `\x41`.
pub(crate) fn words(text: &str) -> Vec<Vec<u8>> {
    let quoted = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    quoted.map(|line| word(line).unwrap_or_else(|| panic!("no word of a dictionary: {line}"))).collect()
}

fn word(line: &str) -> Option<Vec<u8>> {
    let mut rest = line.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = Vec::new();
    while let Some(c) = rest.chars().next() {
        let (bytes, length) = match rest.as_bytes() {
            [b'\\', b'x', ..] => (vec![u8::from_str_radix(rest.get(2..4)?, 16).ok()?], 4),
            [b'\\', c @ (b'\\' | b'"'), ..] => (vec![*c], 2),
            [b'\\' | b'"', ..] => return None,
            _ => (c.to_string().into_bytes(), c.len_utf8()),
        };
        out.extend(bytes);
        rest = &rest[length..];
    }
    Some(out)
}

#[test]
fn words_of_a_dictionary_are_read() {
    assert_eq!(words("# a comment\n\n\"a\\x0ab\"\n\"\\\"\\\\\"\n"), [b"a\nb".to_vec(), b"\"\\".to_vec()]);
}
