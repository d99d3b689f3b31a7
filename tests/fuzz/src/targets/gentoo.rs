//! Gentoo's dependency language.

use rocpkg::pms::{
    Atom, Candidate, Cpv, DepSpec, FlagState, LicenseSpec, Reduction, RequiredUse, RestrictSpec, SrcUriSpec,
    Version, answer_bytes, flatten, use_reduce,
};
use std::collections::BTreeSet;
use std::fmt::{Debug, Display};
use std::str::FromStr;

/// What is read is printed so that it reads the same.
fn same_again<T: FromStr<Err: Debug> + Display + PartialEq + Debug>(text: &str) -> Option<T> {
    let read: T = text.parse().ok()?;
    let printed = read.to_string();
    let again: T = printed.parse().unwrap_or_else(|e| panic!("{text:?} prints as {printed:?}: {e:?}"));
    assert_eq!(again, read, "{text:?} prints as {printed:?}");
    assert_eq!(again.to_string(), printed);
    Some(read)
}

/// An atom, a version and a package's name.
pub(super) fn atom(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(atom) = same_again::<Atom>(&text) {
        // A choice of flags leaves no condition.
        let decided = atom.evaluate(|flag| flag.len().is_multiple_of(2)).to_string();
        decided.parse::<Atom>().unwrap_or_else(|e| panic!("{text:?} becomes {decided:?}: {e}"));
        if let Some(version) = atom.version() {
            assert_eq!(version.to_string().parse::<Version>().as_ref(), Ok(version));
            let package: Candidate =
                format!("{}-{version}", atom.cpn()).parse().expect("an atom names a package");
            let _ = atom.matches(&package);
        }
    }
    let version = same_again::<Version>(&text);
    if let Some(version) = &version {
        assert_eq!(version.cmp(version), std::cmp::Ordering::Equal);
        assert!(version.without_revision() <= *version);
    }
    same_again::<Cpv>(&text);
    let _ = text.parse::<Candidate>();
    // Two versions, one on each line.
    if let Some((a, b)) = text.split_once('\n')
        && let (Ok(a), Ok(b)) = (a.parse::<Version>(), b.parse::<Version>())
    {
        assert_eq!(a.cmp(&b), b.cmp(&a).reverse(), "{a} and {b}");
        assert_eq!(Version::compare(a.as_str(), b.as_str()), Ok(a.cmp(&b)));
    }
}

/// Trees of dependencies, licences, addresses and restrictions.
pub(super) fn depend(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(spec) = same_again::<DepSpec>(&text) {
        assert_eq!(spec.layout(2).parse::<DepSpec>().as_ref(), Ok(&spec), "{text:?} laid out");
        let simple = spec.clone().simplify();
        assert_eq!(simple.clone().simplify(), simple, "{text:?} is simplified twice");
        assert_eq!(simple.to_string().parse::<DepSpec>().as_ref(), Ok(&simple), "{text:?} simplified");
        for on in [true, false] {
            let is_there = |atom: &Atom| atom.cpn().package().len().is_multiple_of(2);
            assert_eq!(spec.holds(|_| on, is_there), simple.holds(|_| on, is_there), "{text:?} simplified");
            assert!(spec.assume(|_| Some(on)).conditions().is_empty());
        }
    }
    same_again::<LicenseSpec>(&text);
    same_again::<SrcUriSpec>(&text);
    same_again::<RestrictSpec>(&text);
    for atoms in [false, true] {
        let how = Reduction { atoms, ..Reduction::with_on(["a", "test", "amdgpu_targets_gfx90a"]) };
        if let Ok(items) = use_reduce(&text, &how) {
            assert!(flatten(&items).len() <= 4 * text.len());
        }
    }
}

/// `REQUIRED_USE`: simplified, it holds for the same choices.
pub(super) fn required_use(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Some(spec) = same_again::<RequiredUse>(&text) else { return };
    assert_eq!(spec.layout(1).parse::<RequiredUse>().as_ref(), Ok(&spec), "{text:?} laid out");
    let simple = spec.clone().simplify();
    assert_eq!(simple.clone().simplify(), simple, "{text:?} is simplified twice");
    let mut flags: BTreeSet<&str> = spec.conditions().into_iter().map(rocpkg::pms::Flag::as_str).collect();
    flags.extend(spec.leaves().into_iter().map(|leaf: &FlagState| leaf.flag.as_str()));
    let flags: Vec<&str> = flags.into_iter().take(6).collect();
    for choice in 0..1_u32 << flags.len() {
        let is_on = |flag: &str| flags.iter().position(|f| *f == flag).is_some_and(|i| choice >> i & 1 == 1);
        assert_eq!(simple.is_met(is_on), spec.is_met(is_on), "{text:?} became {simple}");
    }
}

/// A line that another program asks: the answer is one line of JSON.
pub(super) fn question(bytes: &[u8]) {
    let answer = answer_bytes(bytes);
    assert!(!answer.contains('\n'));
    let read: serde_json::Value = serde_json::from_str(&answer).expect("an answer is JSON");
    assert!(read["ok"].is_boolean(), "{answer}");
    assert!(
        answer.len() <= 64 * bytes.len() + 1024,
        "an answer of {} bytes to {}",
        answer.len(),
        bytes.len()
    );
}
