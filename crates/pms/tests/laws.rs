//! Laws that hold for every tree, atom and version, tested on generated values.

use crate::common::{answer, answer_bytes};
use proptest::prelude::*;
use rocpkg_pms::{Atom, Candidate, DepSpec, Flag, FlagState, Node, RequiredUse, Spec, Version};

const FLAGS: [&str; 4] = ["a", "b", "c", "d"];

fn flag() -> impl Strategy<Value = Flag> {
    (0..FLAGS.len()).prop_map(|index| Flag::new(FLAGS[index]).unwrap())
}

fn tree<T: std::fmt::Debug + Clone + 'static>(
    leaf: impl Strategy<Value = T> + 'static,
    counted: bool,
    least: usize,
) -> impl Strategy<Value = Spec<T>> {
    let node = leaf
        .prop_map(Node::Leaf)
        .prop_recursive(5, 40, 4, move |inner| {
            let children = prop::collection::vec(inner, least..4);
            let kinds = if counted { 0..6_u8 } else { 0..4 };
            (kinds, flag(), children).prop_map(|(kind, flag, nodes)| match kind {
                0 => Node::All(nodes),
                1 => Node::Any(nodes),
                2 => Node::when(flag, nodes),
                3 => Node::unless(flag, nodes),
                4 => Node::ExactlyOne(nodes),
                _ => Node::AtMostOne(nodes),
            })
        });
    prop::collection::vec(node, 0..4).prop_map(Spec::new)
}

fn required_use() -> impl Strategy<Value = RequiredUse> {
    tree(
        (flag(), any::<bool>()).prop_map(|(flag, on)| FlagState { flag, on }),
        true,
        0,
    )
}

fn atoms() -> impl Strategy<Value = DepSpec> {
    let atom = prop::sample::select(vec!["x/a", ">=x/b-1", "!x/c", "x/d:0=[a?]"]);
    tree(
        atom.prop_map(|text| text.parse::<Atom>().unwrap()),
        false,
        1,
    )
}

fn version() -> impl Strategy<Value = String> {
    "(0|0?[1-9]{1,2})(\\.[0-9]{1,2}){0,3}[a-c]?(_(alpha|beta|pre|rc|p)[0-9]?){0,2}(-r[0-9])?"
}

fn atom_text() -> impl Strategy<Value = String> {
    let end = "(:(=|\\*|[0-9](/[0-9][a-c0-9.]{0,2})?=?))?(::[a-z]{1,4})?";
    let flags = "(\\[[ab](\\(\\+\\))?[?=]?,!c[?=],-d(\\(-\\))?\\])?";
    let head = (
        0..8_usize,
        "[a-z]{1,3}-?[a-z0-9]{1,3}/[a-z]{1,4}\\+?",
        version(),
    );
    (head, end, flags).prop_map(|((kind, name, version), end, flags)| {
        let head = match ["", "=", "~", ">=", "<=", ">", "<", "*"][kind] {
            "" => name,
            "*" => format!("!={name}-{version}*"),
            sign => format!("{sign}{name}-{version}"),
        };
        head + &end + &flags
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_reads_back(spec in required_use(), deps in atoms()) {
        prop_assert_eq!(spec.to_string().parse::<RequiredUse>().unwrap(), spec.clone());
        prop_assert_eq!(spec.layout(1).parse::<RequiredUse>().unwrap(), spec);
        prop_assert_eq!(deps.to_string().parse::<DepSpec>().unwrap(), deps.clone());
        prop_assert_eq!(deps.layout(3).parse::<DepSpec>().unwrap(), deps);
    }

    #[test]
    fn an_atom_prints_as_it_was_written(text in atom_text()) {
        let atom: Atom = text.parse().unwrap();
        prop_assert_eq!(atom.to_string(), &*text);
        prop_assert_eq!(atom.to_string().parse::<Atom>().unwrap(), atom);
    }

    #[test]
    fn versions_are_in_a_total_order(a in version(), b in version(), c in version()) {
        let [a, b, c] = [a, b, c].map(|text| text.parse::<Version>().unwrap());
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        if a <= b && b <= c {
            prop_assert!(a <= c);
        }
        let same = Candidate::from(format!("x/y-{a}").parse::<rocpkg_pms::Cpv>().unwrap());
        for sign in ["=", "~", ">=", "<="] {
            let atom: Atom = format!("{sign}x/y-{a}").parse().unwrap();
            prop_assert!(atom.matches(&same));
        }
        let glob: Atom = format!("=x/y-{a}*").parse().unwrap();
        prop_assert!(glob.matches(&same));
    }

    #[test]
    fn nothing_panics(text in any::<String>(), line in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = text.parse::<Atom>();
        let _ = text.parse::<Version>();
        let _ = text.parse::<DepSpec>();
        let _ = text.parse::<Candidate>();
        for op in ["atom", "required_use", "use_reduce"] {
            let line = serde_json::json!({ "op": op, "s": text }).to_string();
            let answered = answer(&line).starts_with(r#"{"ok":"#);
            prop_assert!(answered);
        }
        let refused = answer_bytes(&line).starts_with(r#"{"ok":false"#);
        prop_assert!(refused);
    }
}
