//! Splits names of hardware into the words of the product line and the other words: `Radeon RX 7900
//! XT` -> `radeon`, `rx`, and `7900`, `xt`.

use std::collections::BTreeSet;

/// Words that do not distinguish products. People leave them out or add them.
const NOISE: [&str; 23] = [
    "accelerator",
    "adapter",
    "advanced",
    "amd",
    "apu",
    "ati",
    "card",
    "cdna",
    "chip",
    "devices",
    "dgpu",
    "edition",
    "gfx",
    "gpu",
    "graphic",
    "graphics",
    "igpu",
    "inc",
    "integrated",
    "laptop",
    "micro",
    "processor",
    "series",
];

/// Words that name a product line. A name of one line is not a name of another line.
const BRANDS: [&str; 19] = [
    "ai", "athlon", "embedded", "firegl", "firepro", "hd", "instinct", "max", "pro", "r2", "r3",
    "r4", "r5", "r6", "r7", "r9", "radeon", "rx", "ryzen",
];

/// Words of [`BRANDS`] that people leave out if another word determines the product line.
const IMPLIED: [&str; 4] = ["radeon", "rx", "hd", "ryzen"];

/// Words that makers of cards put after the name of the GPU. These words and all words after them
/// are ignored.
const BOARDS: [&str; 20] = [
    "aorus",
    "armor",
    "black",
    "challenger",
    "dual",
    "eagle",
    "fighter",
    "gaming",
    "hellhound",
    "mech",
    "merc",
    "nitro",
    "oc",
    "phantom",
    "pulse",
    "qick",
    "red",
    "speedster",
    "steel",
    "tuf",
];

/// Makers of GPUs other than AMD, each with words that only its products have.
const MAKERS: [(&str, &[&str]); 4] = [
    (
        "NVIDIA",
        &[
            "nvidia", "geforce", "quadro", "tesla", "rtx", "gtx", "titan",
        ],
    ),
    ("Intel", &["intel", "arc", "iris", "uhd", "xe"]),
    ("Qualcomm", &["adreno", "qualcomm"]),
    ("Apple", &["apple"]),
];

/// Returns the name of the maker with a PCI vendor ID other than AMD's.
pub(crate) fn maker_of_vendor(vendor: u16) -> &'static str {
    match vendor {
        0x10de => "NVIDIA",
        0x8086 => "Intel",
        _ => "another vendor",
    }
}

/// Returns true if people leave out the brand when another word determines the product line.
pub(crate) fn is_implied(brand: &str) -> bool {
    IMPLIED.contains(&brand)
}

/// A name of hardware split into words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// The words that name the product line.
    pub(crate) brands: BTreeSet<String>,
    /// The other words, in order.
    pub(crate) rest: Vec<String>,
}

/// Returns the words of a text in lower case, without punctuation and marks such as `(TM)`.
pub(crate) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace("(tm)", " ").replace("(r)", " ");
    let mut out = Vec::new();
    for word in lower.split(|c: char| !c.is_alphanumeric()) {
        // `RX6600`, `HD7970`, `HX370`, `RadeonVII`
        let is_end = |rest: &str| rest == "vii" || rest.starts_with(|c: char| c.is_ascii_digit());
        let brands = ["rx", "hd", "hx", "radeon"];
        let brand = brands
            .into_iter()
            .find(|brand| word.strip_prefix(brand).is_some_and(is_end));
        let parts = brand.map_or((word, ""), |brand| word.split_at(brand.len()));
        out.extend(
            [parts.0, parts.1]
                .into_iter()
                .filter(|w| !w.is_empty())
                .map(str::to_owned),
        );
    }
    out
}

/// Returns the maker other than AMD whose products have one of the words: `rtx`, `4090` -> NVIDIA.
/// Returns `None` if no word is of another maker.
pub(crate) fn maker(words: &[String]) -> Option<&'static str> {
    let of = |word: &String, marks: &[&str]| {
        marks.iter().any(|mark| {
            word.strip_prefix(mark).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit())
            })
        })
    };
    MAKERS
        .iter()
        .find(|(_, marks)| words.iter().any(|w| of(w, marks)))
        .map(|(name, _)| *name)
}

impl Words {
    /// Splits a name into words, and leaves out the words in [`NOISE`].
    pub(crate) fn of(text: &str) -> Self {
        let all = words(text)
            .into_iter()
            .filter(|w| !NOISE.contains(&w.as_str()));
        let (brands, rest) = all.partition::<Vec<_>, _>(|w| BRANDS.contains(&w.as_str()));
        Self {
            brands: brands.into_iter().collect(),
            rest,
        }
    }

    /// Returns the name without sizes of memory, words of makers of cards, `mobile` and `desktop`,
    /// which no list contains: `rx 6700 xt 12gb nitro` -> `rx 6700 xt`.
    pub(crate) fn bare(&self) -> Self {
        let mut rest: Vec<String> = Vec::new();
        for word in self
            .rest
            .iter()
            .take_while(|word| !BOARDS.contains(&word.as_str()))
        {
            // `12G`, but not `5600G`.
            let short = word.strip_suffix('g').filter(|n| (1..3).contains(&n.len()));
            let size = word.strip_suffix("gb").or(short);
            let size = size.is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
            if size && word == "gb" {
                rest.pop();
            } else if !size && word != "mobile" && word != "desktop" {
                rest.push(word.clone());
            }
        }
        Self {
            brands: self.brands.clone(),
            rest,
        }
    }

    /// Returns the words that are no brand, joined without spaces: `rx 7900 xt` -> `7900xt`.
    pub(crate) fn key(&self) -> String {
        self.rest.concat()
    }

    /// Returns all brands except `radeon`, which does not distinguish product lines.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.brands
            .iter()
            .map(String::as_str)
            .filter(|b| *b != IMPLIED[0])
    }

    /// Returns all words except `radeon` as one text, for the distance to other names.
    pub(crate) fn line(&self) -> String {
        let all: Vec<&str> = self
            .lines()
            .chain(self.rest.iter().map(String::as_str))
            .collect();
        all.join(" ")
    }

    /// Returns true if a text with these words may mean `name`. The text must have no brand that
    /// the name lacks. If the text has a brand, it must have all brands of the name that people do
    /// not leave out.
    pub(crate) fn may_mean(&self, name: &Self) -> bool {
        self.brands.is_subset(&name.brands)
            && (self.brands.is_empty()
                || name.brands.difference(&self.brands).all(|b| is_implied(b)))
    }

    /// Returns true if `name` continues this one: `RX 7900` and `RX 7900 XTX`, `MI300` and
    /// `MI300X`.
    pub(crate) fn begins(&self, name: &Self) -> bool {
        let (key, whole) = (self.key(), name.key());
        let Some(after) = whole.strip_prefix(&key).filter(|after| !after.is_empty()) else {
            return false;
        };
        let (mut ends, mut at) = (false, 0);
        for word in &name.rest {
            at += word.len();
            ends |= at == key.len();
        }
        let letters = key.ends_with(|c: char| c.is_ascii_digit())
            && after.starts_with(|c: char| c.is_alphabetic());
        key.len() >= 3 && (ends || letters)
    }
}
