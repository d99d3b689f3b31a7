//! The description of a build machine.
use serde::Serialize;
use std::str::FromStr;

/// A build machine. It is parsed from a text such as `cpus=16,memory=64G,disk=500G`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Builder {
    /// The name of the machine. By default its memory in gibibytes, such as `64g`.
    pub name: String,
    /// The number of compiler jobs that the machine can run at once.
    pub cpus: u64,
    /// Memory in mebibytes.
    pub memory: u64,
    /// Free disk in mebibytes.
    pub disk: u64,
    /// The number of packages that the machine builds at once. Each build has an equal share of
    /// `cpus`, `memory` and `disk`.
    pub builds: u64,
}

/// The keys of a description whose values are numbers.
const KEYS: [&str; 4] = ["cpus", "memory", "disk", "builds"];

/// An error in the description of a machine. The text is the fault.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0}: expected a machine such as `cpus=16,memory=64G,disk=500G`, optionally with `name=` and `builds=` (packages built at once)"
)]
pub struct BuilderError(String);

impl Builder {
    /// Returns the part of the machine that each of the concurrent builds has, as a machine of its
    /// own. It has at least one CPU.
    #[must_use]
    pub fn share(&self) -> Self {
        let part = |all: u64| all / self.builds;
        Self {
            cpus: part(self.cpus).max(1),
            memory: part(self.memory),
            disk: part(self.disk),
            ..self.clone()
        }
    }
}

/// Parses a size into mebibytes: `64G` -> 65536. The units are `M`, `G` and `T`, also as `GB` or
/// `GiB`. None for other units, no unit, or no number.
fn mebibytes(text: &str) -> Option<u64> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
    let factor = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "M" => 1,
        "G" => 1 << 10,
        "T" => 1 << 20,
        _ => return None,
    };
    number.checked_mul(factor)
}

impl FromStr for Builder {
    type Err = BuilderError;

    fn from_str(text: &str) -> Result<Self, BuilderError> {
        let wrong = |what: String| BuilderError(what);
        let (mut name, mut numbers) = (None, [None; 4]);
        for pair in text.split(',') {
            let (key, value) = pair
                .trim()
                .split_once('=')
                .ok_or_else(|| wrong(format!("`{pair}` is not a `key=value`")))?;
            if key == "name" {
                let is_word = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
                if value.is_empty() || !value.chars().all(is_word) {
                    return Err(wrong(format!(
                        "`{value}` is not a name of letters, digits, `-`, `_` and `.`"
                    )));
                }
                name = Some(value.to_owned());
                continue;
            }
            let at = KEYS
                .iter()
                .position(|k| *k == key)
                .ok_or_else(|| wrong(format!("unknown key `{key}`")))?;
            let number = if matches!(key, "memory" | "disk") {
                mebibytes(value)
            } else {
                value.parse().ok()
            };
            // A number that is larger than any machine's is a typo, and would overflow later
            // calculations.
            let number = number.filter(|n| (1..1 << 40).contains(n));
            numbers[at] =
                Some(number.ok_or_else(|| wrong(format!("`{value}` is not a valid `{key}`")))?);
        }
        let [Some(cpus), Some(memory), Some(disk), builds] = numbers else {
            return Err(wrong(format!("`{text}` lacks cpus, memory or disk")));
        };
        let name = name.unwrap_or_else(|| format!("{}g", memory >> 10));
        Ok(Self {
            name,
            cpus,
            memory,
            disk,
            builds: builds.unwrap_or(1),
        })
    }
}
