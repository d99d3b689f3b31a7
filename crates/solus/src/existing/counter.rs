//! Continues the counter `release`, which Solus increases with each build of a package.

use crate::existing::reading::reading;

/// Returns the text `recipe` with the counter `release` set from the existing recipe, `there`. The
/// counter stays the same if `is_same` is true: both recipes are of the same version. It is one
/// more for another version, or if `again` is true: the same version is built again. If the
/// existing recipe has no counter, or one of the texts can't be read, `recipe` is returned
/// unchanged.
pub(crate) fn counted(recipe: &str, there: &str, is_same: bool, again: bool) -> String {
    let (Ok(new), Ok(old)) = (reading().read(recipe), reading().read(there)) else {
        return recipe.to_owned();
    };
    let Some(count) = old
        .get(&["release"])
        .and_then(|node| node.value.real.parse::<u64>().ok())
    else {
        return recipe.to_owned();
    };
    let count = if is_same && !again {
        count
    } else {
        count.saturating_add(1)
    };
    let mut text = recipe.to_owned();
    if let Some(place) = new.get(&["release"]) {
        text.replace_range(place.value_at.clone(), &count.to_string());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::counted;

    const NEW: &str =
        "name       : x\nversion    : 7.0.2\nrelease    : 1\nsetup      : |\n    release : 9\n";

    #[test]
    fn the_counter_goes_on() {
        let count = |there, is_same, again| {
            let text = counted(NEW, there, is_same, again);
            assert_eq!(text.lines().count(), NEW.lines().count());
            text.lines().nth(2).unwrap().to_owned()
        };
        let there = "version : 6.0.0\nrelease : 5\n";
        assert_eq!(count(there, false, false), "release    : 6");
        assert_eq!(count(there, true, false), "release    : 5");
        assert_eq!(count(there, true, true), "release    : 6");
        let remark = "version : '6.0.0'\r\nrelease : 5 # rebuilt\r\n";
        assert_eq!(count(remark, false, false), "release    : 6");
        assert_eq!(count("nothing of the kind", false, false), "release    : 1");
        assert_eq!(
            count("version : 1\nrelease : many\n", false, false),
            "release    : 1"
        );
    }
    #[test]
    fn what_is_behind_the_counter_stays() {
        let new = "version : 7.0.2\r\nrelease : 1 # rebuilt\r\n";
        assert_eq!(
            counted(new, "release : 5\n", false, false),
            "version : 7.0.2\r\nrelease : 6 # rebuilt\r\n"
        );
    }
}
