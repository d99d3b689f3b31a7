//! Targets by the names that people write.

use crate::{Registry, Target, TargetId, TargetSet};
use std::cell::LazyCell;

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A target, perhaps with modes.
    Id(TargetId),
    /// A family of upstream's, or a microarchitecture.
    Family {
        /// The family's name in its own spelling.
        name: String,
        /// Its targets.
        targets: TargetSet,
    },
    /// A product, or several whose names hold the text.
    Product {
        /// The products' full names.
        names: Vec<String>,
        /// The targets that carry them.
        targets: TargetSet,
    },
}

impl Found {
    /// The targets it stands for, modes left out.
    pub fn targets(&self) -> TargetSet {
        match self {
            Self::Id(id) => TargetSet::of(id.target),
            Self::Family { targets, .. } | Self::Product { targets, .. } => *targets,
        }
    }
}

/// A text that names nothing, or a target whose features are wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` names no GPU target, family or product")]
pub struct NotFound {
    /// The text.
    pub text: String,
    /// The nearest names, the likeliest first; empty when none is near.
    pub nearest: Vec<String>,
    /// What is wrong with the features, when the target itself is known.
    pub features: Option<crate::TargetIdError>,
}

/// A longer name is no typo, and looking for the nearest one would cost its length for each name there is.
const LONGEST: usize = 64;

/// Of so many wrong names the nearest ones are looked for.
const HINTED: usize = 10;

/// Words of product names that people leave out.
const NOISE: [&str; 7] = ["accelerator", "amd", "card", "gpu", "graphics", "instinct", "radeon"];

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '+')
        .map(str::to_ascii_lowercase)
        .filter(|word| !word.is_empty() && !NOISE.contains(&word.as_str()))
        .collect()
}

/// Whether the words, written together, are a run of the product's words: `7900xtx` of `RX 7900 XTX`.
fn is_run(wanted: &str, product: &[String]) -> bool {
    let begins = |words: &[String]| {
        let mut rest = wanted;
        for word in words {
            let Some(left) = rest.strip_prefix(word.as_str()) else { return false };
            rest = left;
            if rest.is_empty() {
                return true;
            }
        }
        false
    };
    (0..product.len()).any(|from| begins(&product[from..]))
}

/// Edits between two words, a swap of neighbours counting one (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// A product: its target, its name, and the name's words.
type Product<'r> = (Target, &'r str, Vec<String>);
/// All of them, taken apart when the first is asked for.
type Products<'r, 'f> = LazyCell<Vec<Product<'r>>, &'f dyn Fn() -> Vec<Product<'r>>>;

fn find_product(text: &str, products: &Products) -> Option<Found> {
    let wanted = words(text).concat();
    // Shorter texts are words like `xt`, which a third of all products hold; no product has a longer name.
    if wanted.len() < 3 || wanted.len() > LONGEST {
        return None;
    }
    let is_exact = |words: &[String]| {
        words.iter().map(String::len).sum::<usize>() == wanted.len() && is_run(&wanted, words)
    };
    let exact: Vec<_> = products.iter().filter(|(.., words)| is_exact(words)).collect();
    let all = if exact.is_empty() {
        products.iter().filter(|(.., words)| is_run(&wanted, words)).collect()
    } else {
        exact
    };
    let targets: TargetSet = all.iter().map(|(target, ..)| *target).collect();
    let names: Vec<String> = all.into_iter().map(|(_, name, _)| (*name).to_owned()).collect();
    (!names.is_empty()).then_some(Found::Product { names, targets })
}

impl Registry {
    /// What a text stands for: a target ID, a family, a microarchitecture, one of LLVM's alternative names or a
    /// product, in any case and with or without its vendor's words.
    ///
    /// # Errors
    ///
    /// The nearest names, when the text stands for nothing.
    pub fn find(&self, text: &str) -> Result<Found, NotFound> {
        let list = || self.products();
        let products: Products = LazyCell::new(&list);
        self.find_near(text, &products, true)
    }

    /// All products: the target that carries each, its name, and the name's words.
    fn products(&self) -> Vec<Product<'_>> {
        let named =
            self.processors().flat_map(|(target, p)| p.products.iter().map(move |name| (target, name)));
        named.map(|(target, name)| (target, name.as_str(), words(name))).collect()
    }

    fn find_near(&self, text: &str, products: &Products<'_, '_>, hint: bool) -> Result<Found, NotFound> {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        let features = match self.parse_id(&lower) {
            Ok(id) => return Ok(Found::Id(id)),
            Err(crate::TargetIdError::Target(_)) => None,
            Err(wrong) => Some(wrong),
        };
        if features.is_none() {
            if let Some(found) = self.find_family(&lower) {
                return Ok(found);
            }
            if let Some((target, _)) =
                self.processors().find(|(_, p)| p.alternatives.iter().any(|a| a.eq_ignore_ascii_case(&lower)))
            {
                return Ok(Found::Id(TargetId::plain(target)));
            }
            if let Some(found) = find_product(text, products) {
                return Ok(found);
            }
        }
        let hint = hint && features.is_none() && lower.len() <= LONGEST;
        let nearest = if hint { self.nearest(&lower, products) } else { Vec::new() };
        Err(NotFound { text: text.to_owned(), nearest, features })
    }

    /// The targets of a text that may hold several names, between commas, semicolons or line ends; a name itself
    /// may hold spaces.
    ///
    /// # Errors
    ///
    /// Every name that stands for nothing.
    pub fn find_all(&self, text: &str) -> Result<TargetSet, Vec<NotFound>> {
        let mut set = TargetSet::EMPTY;
        let mut errors = Vec::new();
        let list = || self.products();
        let products: Products = LazyCell::new(&list);
        for name in text.split([',', ';', '\n']).map(str::trim).filter(|name| !name.is_empty()) {
            match self.find_near(name, &products, errors.len() < HINTED) {
                Ok(found) => set = set.union(found.targets()),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(set) } else { Err(errors) }
    }

    fn processors(&self) -> impl Iterator<Item = (Target, &crate::Processor)> {
        (0u8..).map(Target).zip(&self.input.processors)
    }

    fn find_family(&self, lower: &str) -> Option<Found> {
        if let Some((name, targets)) = self.families().find(|(name, _)| name.eq_ignore_ascii_case(lower)) {
            return Some(Found::Family { name: name.to_owned(), targets });
        }
        let plain = lower.replace([' ', '-'], "");
        let of_it = |p: &crate::Processor| p.family.eq_ignore_ascii_case(&plain);
        let (_, first) = self.processors().find(|(_, p)| of_it(p))?;
        let targets = self.processors().filter(|(_, p)| of_it(p)).map(|(t, _)| t).collect();
        Some(Found::Family { name: first.family.clone(), targets })
    }

    /// Names at the smallest distance, at most five and none farther than a third of the text, or eight edits.
    fn nearest(&self, lower: &str, products: &Products<'_, '_>) -> Vec<String> {
        let bare = lower.split(':').next().unwrap_or(lower);
        let limit = (bare.chars().count() / 3).min(8);
        // Two words are at least as far apart as their lengths, which spares most of the comparisons.
        let near = |a: &str, b: &str| {
            let apart = a.chars().count().abs_diff(b.chars().count());
            (apart <= limit).then(|| distance(a, b)).filter(|d| *d <= limit)
        };
        let wanted = words(bare).join(" ");
        let targets = self.all().iter().map(|t| (self.name(t), near(bare, self.name(t))));
        let families = self.families().map(|(name, _)| (name, near(bare, &name.to_ascii_lowercase())));
        let products = products.iter().map(|(_, name, words)| (*name, near(&wanted, &words.join(" "))));
        let all: Vec<(&str, usize)> =
            targets.chain(families).chain(products).filter_map(|(name, d)| Some((name, d?))).collect();
        let least = all.iter().map(|(_, d)| *d).min();
        let mut out: Vec<String> = Vec::new();
        for (name, _) in all.into_iter().filter(|(_, d)| Some(*d) == least) {
            if !out.iter().any(|n| n == name) && out.len() < 5 {
                out.push(name.to_owned());
            }
        }
        out
    }
}
