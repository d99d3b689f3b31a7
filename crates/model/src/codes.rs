//! The codes of findings, each with its meaning and a way to fix the fault. The table in
//! `tests/errors/README.md` is generated from this list.

/// A code that a finding may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// A letter and four digits: `E` for errors, `W` for warnings, `N` for notes. The meaning of a
    /// code never changes.
    pub code: &'static str,
    /// A sentence that describes the fault.
    pub meaning: &'static str,
    /// A sentence that describes how to fix the fault.
    pub mend: &'static str,
}

/// Returns all codes of findings, sorted.
pub fn codes() -> impl Iterator<Item = Code> {
    include_str!("codes.txt").lines().filter_map(|line| {
        let mut parts = line.splitn(3, " | ");
        Some(Code {
            code: parts.next()?,
            meaning: parts.next()?,
            mend: parts.next()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::codes;
    use std::collections::BTreeSet;

    #[test]
    fn each_line_is_a_code_in_its_order() {
        let all: Vec<_> = codes().collect();
        assert_eq!(all.len(), include_str!("codes.txt").lines().count());
        let names: Vec<_> = all.iter().map(|c| c.code).collect();
        let sorted: Vec<_> = names
            .iter()
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        assert_eq!(names, sorted);
        for c in all {
            let sentences = [c.meaning, c.mend]
                .iter()
                .all(|t| t.ends_with('.') && t.len() > 6);
            assert!(sentences && c.code.len() == 5, "{c:?}");
        }
    }
}
