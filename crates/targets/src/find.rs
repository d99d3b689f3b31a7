//! Looks up GPU targets by the names that people write.

use crate::nearest_name::nearest;
use crate::product_line::{Words, is_implied, maker, maker_of_vendor, words};
use crate::products::read_version;
use crate::registry::called;
use crate::{Carrier, Products, Registry, Target, TargetSet};
use rocpkg_model::ProcessorEntry;

/// The result of looking up a name such as `gfx1100` or `RX 7900 XTX`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A target, possibly with modes (`gfx90a:xnack+`).
    Id(Target),
    /// A family of upstream (`gfx110X-all`), or a microarchitecture (`RDNA3`).
    Family {
        /// The family's name in its own spelling.
        name: String,
        /// The targets of the family.
        targets: TargetSet,
    },
    /// All products, chips or devices that the name may mean. If they have several targets, the PCI
    /// ID of the GPU decides between them.
    Hardware(Vec<Carrier>),
}

impl Found {
    /// Returns the targets that the name stands for, without modes.
    pub fn targets(&self) -> TargetSet {
        match self {
            Self::Id(target) => TargetSet::of(*target),
            Self::Family { targets, .. } => targets.clone(),
            Self::Hardware(all) => all.iter().map(|c| c.target).collect(),
        }
    }

    /// Returns true if the name is that of hardware and leaves open which of several targets is
    /// meant.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Hardware(_)) && self.targets().len() > 1
    }
}

/// The reason why a text names no GPU target, family or hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// No target, family or hardware has this name.
    Unknown,
    /// The GPU is from the maker with this name, such as NVIDIA.
    Maker(&'static str),
    /// The version, such as `13.0.0`, is newer than all processors of the model.
    Newer,
    /// No processor has this version.
    Version,
    /// No list of the model contains the PCI device.
    Device,
    /// The text names a CPU, whose model does not determine its graphics.
    Model,
}

/// A text that names no GPU target, family or hardware, or a target whose features are wrong
/// (`gfx1100:xnack+`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` {}", self.said())]
pub struct NotFound {
    /// The text that names nothing.
    pub text: String,
    /// The reason why the text names nothing.
    pub why: Why,
    /// The known names that are nearest to the text, the likeliest first, each with its targets as
    /// text. If the name is itself a target, the second text is empty. The list is empty if no name
    /// is near.
    pub nearest: Vec<(String, String)>,
    /// The fault of the features, if the target itself is known.
    pub features: Option<crate::TargetIdError>,
}

impl NotFound {
    /// Returns a message with the fault and the names that may have been meant.
    pub fn explained(&self) -> String {
        if let Some(feature) = &self.features {
            return format!("`{}`: {feature}", self.text);
        }
        let near = |(name, targets): &(String, String)| match targets.as_str() {
            "" => format!("`{name}`"),
            targets => format!("`{name}` ({targets})"),
        };
        match self.nearest.as_slice() {
            [] => self.to_string(),
            names => {
                format!(
                    "{self}; did you mean {}?",
                    names.iter().map(near).collect::<Vec<_>>().join(", ")
                )
            }
        }
    }

    fn said(&self) -> String {
        match self.why {
            Why::Unknown => "is not a known GPU target, family or product".to_owned(),
            Why::Maker(maker) => format!("is a GPU of {maker}, which has no targets"),
            Why::Newer => {
                "is newer than the processors of LLVM 22, on which the registry is based".to_owned()
            }
            Why::Version => "is not the version of any GPU in LLVM 22".to_owned(),
            Why::Device => {
                "is in no list of devices: it is newer than the lists, or is not a GPU".to_owned()
            }
            Why::Model => "is a CPU whose model number does not determine its graphics; \
                pass the chip's name, or the PCI ID that `lspci -nn` shows"
                .to_owned(),
        }
    }
}

/// The number of wrong names in one text for which the nearest names are looked up, since the
/// search is slow.
const HINTED: usize = 10;

/// The beginnings of target IDs in the runtime's spelling: `amdgcn-amd-amdhsa--gfx1100`.
const TRIPLES: [&str; 2] = ["amdgcn-amd-amdhsa--", "amdgcn-amd-amdhsa-"];

impl Registry {
    /// Looks up the name of a target in the registry alone, without a table of products. The name
    /// is a target ID, a family, a microarchitecture, or a driver's name of a chip, in any case.
    ///
    /// # Errors
    ///
    /// Returns an error with the nearest names if the text is no such name.
    pub fn find(&self, text: &str) -> Result<Found, NotFound> {
        self.find_in(&|| None, text, true)
    }

    /// Looks up a name like [`Registry::find`], and also as a product, a chip, a PCI device, a
    /// version (`11.0.0`) or a model of a processor (`7840U`), as people and tools write them.
    ///
    /// `products` returns the table of products, and is called only if the registry does not
    /// contain the name. The nearest names are looked up only if `hint` is true.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Registry::find`].
    pub fn find_in<'p>(
        &self,
        products: &dyn Fn() -> Option<&'p Products>,
        text: &str,
        hint: bool,
    ) -> Result<Found, NotFound> {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        let id = TRIPLES
            .iter()
            .find_map(|t| lower.strip_prefix(t))
            .unwrap_or(&lower);
        let wrong = match self.parse_id(id) {
            Ok(target) => return Ok(Found::Id(target)),
            Err(crate::TargetIdError::Target(_)) => None,
            Err(wrong) => Some(wrong),
        };
        let fail = |why, nearest, features| NotFound {
            text: text.to_owned(),
            why,
            nearest,
            features,
        };
        if wrong.is_some() {
            return Err(fail(Why::Unknown, Vec::new(), wrong));
        }
        if let Some(found) = self.find_family(&lower).or_else(|| self.find_chip(&lower)) {
            return Ok(found);
        }
        let products = products();
        let why = match products.map_or(Err(Why::Unknown), |p| self.find_hardware(p, text)) {
            Ok(all) => return Ok(Found::Hardware(all)),
            Err(why) => why,
        };
        let near = if hint && why == Why::Unknown {
            nearest(self, products, &lower)
        } else {
            Vec::new()
        };
        Err(fail(why, near, None))
    }

    /// Looks up the names in a text. Names are separated by commas, semicolons or line ends, and
    /// may contain spaces. A line of `lspci` is one name.
    ///
    /// # Errors
    ///
    /// Returns an error for each name that names no GPU target, family or hardware.
    pub fn find_all<'p>(
        &self,
        products: &dyn Fn() -> Option<&'p Products>,
        text: &str,
    ) -> Result<Vec<(String, Found)>, Vec<NotFound>> {
        let mut all = Vec::new();
        let mut errors = Vec::new();
        let lines = text.split([';', '\n']);
        let names = lines.flat_map(|line| {
            let is_whole = pci_id(line).is_some() || line.contains(LSPCI);
            if is_whole {
                vec![line]
            } else {
                line.split(',').collect()
            }
        });
        for name in names.map(str::trim).filter(|name| !name.is_empty()) {
            match self.find_in(products, name, errors.len() < HINTED) {
                Ok(found) => all.push((name.to_owned(), found)),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            Ok(all)
        } else {
            Err(errors)
        }
    }

    fn processors(&self) -> impl Iterator<Item = (Target, &ProcessorEntry)> {
        let all = self.file.processors.iter();
        all.filter_map(|(name, p)| Some((self.get(name)?, p)))
    }

    fn find_chip(&self, lower: &str) -> Option<Found> {
        let mut all = self.processors();
        all.find(|(_, p)| called(p).any(|name| name.eq_ignore_ascii_case(lower)))
            .map(|(target, _)| Found::Id(target))
    }

    fn find_family(&self, lower: &str) -> Option<Found> {
        // Upstream's Python modules write `gfx12_5` for `gfx12-5`.
        let dashed = lower.replace('_', "-");
        if let Some((name, targets)) = self
            .families()
            .find(|(name, _)| name.eq_ignore_ascii_case(&dashed))
        {
            return Some(Found::Family {
                name: name.to_owned(),
                targets: targets.clone(),
            });
        }
        let plain = lower.replace([' ', '-'], "");
        let of_it = |p: &ProcessorEntry| p.family.eq_ignore_ascii_case(&plain);
        let (_, first) = self.processors().find(|(_, p)| of_it(p))?;
        let targets = self
            .processors()
            .filter(|(_, p)| of_it(p))
            .map(|(t, _)| t)
            .collect();
        Some(Found::Family {
            name: first.family.clone(),
            targets,
        })
    }

    /// Looks up hardware by PCI ID, version, name or model.
    fn find_hardware(&self, products: &Products, text: &str) -> Result<Vec<Carrier>, Why> {
        if let Some((vendor, device, revision)) = pci_id(text) {
            if vendor != AMD {
                return Err(Why::Maker(maker_of_vendor(vendor)));
            }
            let found = products.device(device, revision);
            return if found.is_empty() {
                Err(Why::Device)
            } else {
                Ok(found)
            };
        }
        if let Some((_, chip)) = text.split_once(LSPCI) {
            let chip = chip.split(" (rev").next().unwrap_or(chip).trim();
            let found = products.chip(chip);
            let why = if chip.starts_with("Device ") {
                Why::Device
            } else {
                Why::Unknown
            };
            return if found.is_empty() {
                Err(why)
            } else {
                Ok(found)
            };
        }
        if let Some(version) = read_version(text) {
            return self.find_version(products, version);
        }
        match self.find_named(products, text) {
            // "Sapphire Pulse RX 6700 XT": the maker of the card comes before the product line.
            Err(Why::Unknown) => after_board(text)
                .filter(|(board, _)| Words::of(board).brands.is_empty())
                .filter(|(board, _)| products.named_or_modelled(board) == Err(Why::Unknown))
                .map_or(Err(Why::Unknown), |(_, name)| {
                    self.find_named(products, name)
                }),
            found => found,
        }
    }

    /// Looks up hardware by the name of a product or the model of a processor. Another name may
    /// follow the first: `Ryzen 7 7840U w/ Radeon 780M`.
    fn find_named(&self, products: &Products, text: &str) -> Result<Vec<Carrier>, Why> {
        // "Ryzen 7 7840U w/ Radeon 780M Graphics", "Ryzen AI 9 PRO 465 (Radeon 880M)": the first of
        // the two names is more precise.
        let parts = [" with ", " w/ ", " ("]
            .into_iter()
            .find_map(|with| text.split_once(with));
        let Some((first, second)) = parts.filter(|_| products.named(text).is_err()) else {
            return products.named_or_modelled(text);
        };
        // "AMD Radeon Graphics (RADV GFX1103_R1)": here the driver's name is more precise.
        let chips = products.driven(self, second);
        match products.named_or_modelled(first) {
            Ok(all) if all.iter().all(|c| c.target == all[0].target) => Ok(all),
            Ok(all) => {
                let (of_it, others): (Vec<_>, Vec<_>) =
                    all.into_iter().partition(|c| chips.contains(c.target));
                Ok(if of_it.is_empty() { others } else { of_it })
            }
            Err(why) => products
                .named(second)
                .map_err(|second| if second == Why::Unknown { why } else { second }),
        }
    }

    fn find_version(&self, products: &Products, version: [u32; 3]) -> Result<Vec<Carrier>, Why> {
        let [a, b, c] = version;
        let name = format!("version {a}.{b}.{c}");
        if let Some(target) = self.of_version(version) {
            return Ok(vec![Carrier {
                name,
                target,
                by: Vec::new(),
                unsure: None,
            }]);
        }
        match products.version(&format!("{a}.{b}.{c}")) {
            Some(r) => {
                let name = format!("{name}, {}", r.chip);
                Ok(vec![Carrier {
                    name,
                    target: r.target,
                    by: r.by.clone(),
                    unsure: None,
                }])
            }
            None if self.is_newer(version) => Err(Why::Newer),
            None => Err(Why::Version),
        }
    }
}

impl Products {
    /// Looks up hardware by name, or else by a processor's model.
    fn named_or_modelled(&self, text: &str) -> Result<Vec<Carrier>, Why> {
        self.named(text)
            .or_else(|why| self.modelled(text).map_err(|w| w.unwrap_or(why)))
    }

    /// Looks up hardware by name. The product line in the text must be that of the hardware: `RX
    /// 580` is not `Pro 580`.
    fn named(&self, text: &str) -> Result<Vec<Carrier>, Why> {
        let wanted = Words::of(text);
        let all =
            |found: Vec<&(Words, Carrier)>| found.into_iter().map(|(_, row)| row.clone()).collect();
        for wanted in [&wanted, &wanted.bare()] {
            let key = wanted.key();
            if key.is_empty() && wanted.brands.is_empty() {
                break;
            }
            let same = |(words, _): &&(Words, Carrier)| {
                // If the text has no other words than brands, the name must have exactly these
                // brands.
                let brands = if key.is_empty() {
                    words.brands == wanted.brands
                } else {
                    wanted.may_mean(words)
                };
                words.key() == key && brands
            };
            let found: Vec<_> = self.names.iter().filter(same).collect();
            let own: Vec<_> = found
                .iter()
                .copied()
                .filter(|(w, _)| w.brands == wanted.brands)
                .collect();
            // A text without a brand may mean a chip or a product, but no product of a line that
            // people never leave out.
            let plain = |w: &Words| wanted.may_mean(w) && w.brands.iter().all(|b| is_implied(b));
            let one = found.iter().all(|(_, row)| row.target == found[0].1.target);
            let found = match (own.is_empty() || one, wanted.brands.is_empty()) {
                (true, _) => found,
                (false, true) => found.into_iter().filter(|(w, _)| plain(w)).collect(),
                (false, false) => own,
            };
            if !found.is_empty() && (key.is_empty() || key.len() >= 2) {
                return Ok(all(self.with_other_lines(wanted, found)));
            }
        }
        let goes_on =
            |(words, _): &&(Words, Carrier)| wanted.may_mean(words) && wanted.begins(words);
        let found: Vec<_> = self.names.iter().filter(goes_on).collect();
        match maker(&words(text)) {
            Some(maker) => Err(Why::Maker(maker)),
            None if found.is_empty() => Err(Why::Unknown),
            None => Ok(all(found)),
        }
    }

    /// Adds to `found` names of other product lines that continue the text `wanted`, if the text
    /// names no line: `7900` may be the HD 7900 series or an RX 7900 XT.
    fn with_other_lines<'a>(
        &'a self,
        wanted: &Words,
        mut found: Vec<&'a (Words, Carrier)>,
    ) -> Vec<&'a (Words, Carrier)> {
        let plain = |w: &Words| w.brands.iter().all(|b| is_implied(b));
        if wanted.lines().next().is_none() && found.iter().all(|(w, _)| plain(w)) {
            let is_other = |w: &Words| !found.iter().any(|(of, _)| of.lines().eq(w.lines()));
            let others = self
                .names
                .iter()
                .filter(|(w, _)| plain(w) && wanted.begins(w) && is_other(w));
            let others: Vec<_> = others.collect();
            found.extend(others);
        }
        found
    }

    /// Looks up the graphics of a processor by its model: `7840U`. The error contains a reason only
    /// if the text names a processor.
    fn modelled(&self, text: &str) -> Result<Vec<Carrier>, Option<Why>> {
        let mut said = words(text);
        // `8-Core Processor`
        if let Some(at) = said.iter().position(|w| w == "core" || w == "cores") {
            said.remove(at);
            if at > 0 {
                said.remove(at - 1);
            }
        }
        let has = |word: &str| said.iter().any(|w| w == word);
        let (ai, max) = (has("ai") || has("hx") && !has("ryzen"), has("max"));
        let others: Vec<&String> = said
            .iter()
            .filter(|w| !ABOUT.contains(&w.as_str()))
            .collect();
        let is_processor = PROCESSORS.iter().any(|brand| has(brand));
        if let [model] = others.as_slice() {
            // Without a brand, a letter at the end distinguishes a processor from a card.
            let letter = LETTERS.iter().any(|end| model.ends_with(end)) && !model.ends_with("xe");
            let found: Vec<Carrier> = self
                .model(model)
                .filter(|c| c.name.contains(" AI ") == ai && c.name.contains(" Max ") == max)
                .cloned()
                .collect();
            if !found.is_empty() && (is_processor || ai || letter || model.starts_with('z')) {
                return Ok(found);
            }
        }
        Err(is_processor.then_some(Why::Model))
    }
}

/// Brands of AMD's processors (CPUs).
const PROCESSORS: [&str; 4] = ["ryzen", "threadripper", "epyc", "athlon"];

/// Words that may accompany the model of a CPU, and do not distinguish models.
const ABOUT: [&str; 23] = [
    "3",
    "5",
    "7",
    "9",
    "amd",
    "ryzen",
    "threadripper",
    "epyc",
    "athlon",
    "embedded",
    "pro",
    "ai",
    "max",
    "h",
    "hx",
    "extreme",
    "processor",
    "cpu",
    "apu",
    "gold",
    "silver",
    "graphics",
    "series",
];

/// Endings of the models of CPUs with graphics.
const LETTERS: [&str; 8] = ["u", "h", "s", "g", "e", "gt", "x", "3d"];

/// Splits a text before the first word that names a line of graphics: `Sapphire Pulse RX 6700` ->
/// `Sapphire Pulse`, `RX 6700`. Returns `None` if no word after the first names a line.
fn after_board(text: &str) -> Option<(&str, &str)> {
    let is_line = |rest: &str| {
        words(rest)
            .first()
            .is_some_and(|w| ["radeon", "rx", "instinct"].contains(&w.as_str()))
    };
    let (at, _) = text
        .match_indices(' ')
        .find(|(at, _)| is_line(&text[at + 1..]))?;
    Some((&text[..at], &text[at + 1..]))
}

const AMD: u16 = 0x1002;

/// The text that `lspci` prints before the name of an AMD chip.
const LSPCI: &str = "[AMD/ATI]";

/// Returns the vendor, the device and the revision in a PCI ID: `1002:73ff`, `1002:73ff:c1`,
/// `0x73ff`, or a line of `lspci -nn`. The revision is `None` if the text has none. Returns `None`
/// if the text contains no PCI ID.
fn pci_id(text: &str) -> Option<(u16, u16, Option<u8>)> {
    let hex = |text: &str| {
        let four = text.len() == 4 && text.bytes().all(|b| b.is_ascii_hexdigit());
        four.then(|| u16::from_str_radix(text, 16).ok()).flatten()
    };
    let text = text.trim().to_ascii_lowercase();
    if let Some(device) = text.strip_prefix("0x").and_then(hex) {
        return Some((AMD, device, None));
    }
    let at = |i: usize| Some((hex(text.get(i..i + 4)?)?, hex(text.get(i + 5..i + 9)?)?));
    let alone = |i: usize, end: usize| {
        let bytes = text.as_bytes();
        let word = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
        !word(i.checked_sub(1).and_then(|i| bytes.get(i))) && !word(bytes.get(end))
    };
    let places = text
        .match_indices(':')
        .filter_map(|(colon, _)| colon.checked_sub(4));
    let (from, (vendor, device)) = places
        .filter(|i| alone(*i, i + 9))
        .find_map(|i| Some((i, at(i)?)))?;
    let rest = &text[from + 9..];
    let revision = rest
        .strip_prefix(':')
        .or_else(|| rest.split_once("(rev ").map(|(_, r)| r));
    let revision = revision
        .and_then(|r| r.get(..2))
        .and_then(|r| u8::from_str_radix(r, 16).ok());
    Some((vendor, device, revision))
}
