//! What the language takes and refuses, where it points, and that printing and reading are inverse.

use rocpkg_pms::{
    Atom, Blocker, Cpn, DepSpec, Flag, LicenseSpec, Node, Operator, RequiredUse, RestrictSpec, Slot, SlotDep,
    SrcUriSpec, SyntaxError, UseDep, UseDepKind, Version,
};

/// The offset at which reading fails.
fn fails_at<T: std::str::FromStr<Err = SyntaxError> + std::fmt::Debug>(text: &str) -> usize {
    text.parse::<T>().expect_err(text).offset
}

#[test]
fn versions_have_the_order_of_the_specification() {
    let ascending = [
        "0",
        "0.1",
        "1_alpha",
        "1_alpha1",
        "1_beta",
        "1_pre",
        "1_rc",
        "1_rc1_p1",
        "1",
        "1-r1",
        "1_p",
        "1_p1",
        "1a",
        "1.0",
        "1.0.0",
        "1.01",
        "1.1",
        "1.2",
        "1.10",
        "1.10b",
        "2",
        "10",
        "7002000000000000000000000000000000000001",
    ];
    for (i, a) in ascending.iter().enumerate() {
        for (j, b) in ascending.iter().enumerate() {
            let (va, vb): (Version, Version) = (a.parse().unwrap(), b.parse().unwrap());
            assert_eq!(va.cmp(&vb), i.cmp(&j), "{a} against {b}");
        }
    }
    for (a, b) in [("1", "1-r0"), ("1.010", "1.01"), ("01", "1"), ("1_p", "1_p0"), ("1-r01", "1-r1")] {
        assert_eq!(a.parse::<Version>().unwrap(), b.parse::<Version>().unwrap(), "{a} against {b}");
    }
}

#[test]
fn wrong_versions_are_refused_where_they_go_wrong() {
    for (text, at) in [
        ("", 0),
        ("a", 0),
        ("1.", 2),
        ("1..2", 2),
        ("1ab", 2),
        ("1_foo", 2),
        ("1_p-1", 4),
        ("1-r", 3),
        ("1 ", 1),
    ] {
        assert_eq!(fails_at::<Version>(text), at, "{text:?}");
    }
}

#[test]
fn an_atom_has_all_its_parts() {
    let text = "!!>=sci-libs/rocBLAS-7.2.0_rc1-r2:0/7.2=::gentoo[a,-b,c?,!d?,e=,!f=,g(+),-h(-),i(-)?]";
    let atom: Atom = text.parse().unwrap();
    assert_eq!(atom.to_string(), text);
    assert_eq!(atom.blocker(), Some(Blocker::Strong));
    assert_eq!(atom.operator(), Some(Operator::GreaterEqual));
    assert_eq!(atom.version().unwrap().as_str(), "7.2.0_rc1-r2");
    assert_eq!(atom.slot().unwrap().sub_slot(), Some("7.2"));
    assert_eq!(atom.repository(), Some("gentoo"));
    assert_eq!(atom.use_deps().len(), 9);

    let built = Atom::new(Cpn::new("sci-libs", "rocBLAS").unwrap())
        .with_blocker(Blocker::Weak)
        .with_version(Operator::EqualGlob, "7.2".parse().unwrap())
        .with_slot(SlotDep::Slot(Slot::new("0", None).unwrap()))
        .with_use_deps([UseDep::new(Flag::new("gfx90a").unwrap(), UseDepKind::IfEnabled).with_default(false)])
        .unwrap();
    assert_eq!(built.to_string(), "!=sci-libs/rocBLAS-7.2*:0[gfx90a(-)?]");
    assert_eq!(built.to_string().parse::<Atom>().unwrap(), built);
}

#[test]
fn wrong_atoms_are_refused_where_they_go_wrong() {
    for (text, at) in [
        ("", 0),
        ("foo", 0),
        ("a/b-1", 4),
        ("=a/b", 4),
        ("=a/b-1.*", 7),
        (">=a/b-1*", 7),
        ("a/b:", 4),
        ("a/b:0*", 5),
        ("a/b::", 5),
        ("a/b::x:0", 6),
        ("a/b[", 4),
        ("a/b[]", 4),
        ("a/b[x,]", 6),
        ("a/b[x][y]", 5),
        ("a/b[-x?]", 4),
        ("a/b[x,x(+)]", 4),
        ("!!!a/b", 2),
        ("a/b\0", 3),
        ("a/ä", 2),
    ] {
        assert_eq!(fails_at::<Atom>(text), at, "{text:?}: {}", text.parse::<Atom>().unwrap_err());
    }
}

#[test]
fn trees_read_and_print_on_one_line() {
    let spec: DepSpec = "  a/b\n\tx? ( || ( c/d ( e/f g/h ) ) )\t!y? ( i/j )".parse().unwrap();
    assert_eq!(spec.to_string(), "a/b x? ( || ( c/d ( e/f g/h ) ) ) !y? ( i/j )");
    let text = "^^ ( a b ) ?? ( ) || ( !c d? ( e ) )";
    assert_eq!(text.parse::<RequiredUse>().unwrap().to_string(), text);
    let text = "mirror+https://x.org/${P}.tgz -> a.tgz x? ( b.patch )";
    let uris: SrcUriSpec = text.parse().unwrap();
    assert_eq!(uris.to_string(), text);
    let [Node::Leaf(first), _] = uris.nodes.as_slice() else { panic!("{uris:?}") };
    assert_eq!((first.file_name(), first.rename()), ("a.tgz", Some("a.tgz")));
    assert_eq!("|| ( MIT BSD-2 )".parse::<LicenseSpec>().unwrap().to_string(), "|| ( MIT BSD-2 )");
    assert_eq!("!test? ( test )".parse::<RestrictSpec>().unwrap().to_string(), "!test? ( test )");
}

#[test]
fn wrong_trees_are_refused_where_they_go_wrong() {
    for (text, at) in [
        ("a/b )", 4),
        ("( a/b", 0),
        ("( )", 2),
        ("|| a/b", 3),
        ("x?", 2),
        ("x? ( a/b ) y? ) ", 14),
        ("(a/b )", 0),
        ("a/b || ( c/d e )", 13),
        ("^^ ( a/b )", 0),
        ("_x? ( a/b )", 0),
        ("a/b -> c", 4),
    ] {
        assert_eq!(fails_at::<DepSpec>(text), at, "{text:?}: {}", text.parse::<DepSpec>().unwrap_err());
    }
    assert_eq!(fails_at::<SrcUriSpec>("|| ( a )"), 0);
    assert_eq!(fails_at::<SrcUriSpec>("a -> b/c"), 6);
    assert_eq!(fails_at::<SrcUriSpec>("a ->"), 4);
}

#[test]
fn an_ebuild_value_is_laid_out_over_lines() {
    let spec: DepSpec =
        "a/b:= x? ( c/d ) y? ( c/d e/f ) || ( a/b ( c/d >=e/f-1 ) ) z? ( || ( a/b c/d ) )".parse().unwrap();
    insta::assert_snapshot!(format!("RDEPEND=\"\n{}\"", spec.layout(1)), @r#"
    RDEPEND="
    	a/b:=
    	x? ( c/d )
    	y? (
    		c/d
    		e/f
    	)
    	|| (
    		a/b
    		(
    			c/d
    			>=e/f-1
    		)
    	)
    	z? (
    		|| (
    			a/b
    			c/d
    		)
    	)
    "
    "#);
}

#[test]
fn monsters_are_errors() {
    let deep = format!("{}a/b{}", "( ".repeat(10_000), " )".repeat(10_000));
    assert!(deep.parse::<DepSpec>().is_err());
    assert!("( ".repeat(10_000).parse::<RequiredUse>().is_err());
    let long = "x".repeat(1 << 20);
    assert!(long.parse::<Atom>().is_err());
    assert!(format!("a/b[{}", "x,".repeat(1 << 19)).parse::<Atom>().is_err());
    assert!(long.parse::<Version>().unwrap_err().message.len() < 200);
    assert!("a/b\0c".parse::<DepSpec>().is_err());
}
