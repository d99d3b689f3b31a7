//! Tests of the parsers: the texts that they accept and refuse, the offsets of errors, and that
//! printing and reading are inverse.

use crate::common::{answer, answer_bytes};
use rocpkg_pms::{
    Atom, Blocker, Cpn, DepSpec, Flag, Iuse, LicenseSpec, Node, Operator, RequiredUse,
    RestrictSpec, SrcUriSpec, SyntaxError, UseDep, UseDepKind, Version, use_reduce,
};

/// Returns the offset of the error when `text` is read as a `T`. Panics if `text` is accepted.
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
    for (a, b) in [
        ("1", "1-r0"),
        ("1.010", "1.01"),
        ("01", "1"),
        ("1_p", "1_p0"),
        ("1-r01", "1-r1"),
    ] {
        assert_eq!(
            a.parse::<Version>().unwrap(),
            b.parse::<Version>().unwrap(),
            "{a} against {b}"
        );
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
    let text =
        "!!>=sci-libs/rocBLAS-7.2.0_rc1-r2:0/7.2=::gentoo[a,-b,c?,!d?,e=,!f=,g(+),-h(-),i(-)?]";
    let atom: Atom = text.parse().unwrap();
    assert_eq!(atom.to_string(), text);
    assert_eq!(atom.blocker(), Some(Blocker::Strong));
    assert_eq!(atom.operator(), Some(Operator::GreaterEqual));
    assert_eq!(atom.version().unwrap().as_str(), "7.2.0_rc1-r2");
    assert_eq!(atom.slot().unwrap().sub_slot(), Some("7.2"));
    assert_eq!(atom.repository(), Some("gentoo"));
    assert_eq!(atom.use_deps().len(), 9);

    let built = Atom::new(Cpn::new("sci-libs", "rocBLAS").unwrap())
        .with_version(Operator::EqualGlob, "7.2".parse().unwrap())
        .with_use_deps([UseDep {
            default: Some(false),
            ..UseDep::new(Flag::new("gfx90a").unwrap(), UseDepKind::IfEnabled)
        }])
        .unwrap();
    assert_eq!(built.to_string(), "=sci-libs/rocBLAS-7.2*[gfx90a(-)?]");
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
        assert_eq!(
            fails_at::<Atom>(text),
            at,
            "{text:?}: {}",
            text.parse::<Atom>().unwrap_err()
        );
    }
}

#[test]
fn trees_read_and_print_on_one_line() {
    let spec: DepSpec = "  a/b\n\tx? ( || ( c/d ( e/f g/h ) ) )\t!y? ( i/j )"
        .parse()
        .unwrap();
    assert_eq!(
        spec.to_string(),
        "a/b x? ( || ( c/d ( e/f g/h ) ) ) !y? ( i/j )"
    );
    let text = "^^ ( a b ) ?? ( ) || ( !c d? ( e ) )";
    assert_eq!(text.parse::<RequiredUse>().unwrap().to_string(), text);
    let text = "mirror+https://x.org/${P}.tgz -> a.tgz x? ( b.patch )";
    let uris: SrcUriSpec = text.parse().unwrap();
    assert_eq!(uris.to_string(), text);
    let [Node::Leaf(first), _] = uris.nodes.as_slice() else {
        panic!("{uris:?}")
    };
    assert_eq!(
        (first.file_name(), first.rename()),
        ("a.tgz", Some("a.tgz"))
    );
    assert_eq!(
        "|| ( MIT BSD-2 )"
            .parse::<LicenseSpec>()
            .unwrap()
            .to_string(),
        "|| ( MIT BSD-2 )"
    );
    assert_eq!(
        "!test? ( test )"
            .parse::<RestrictSpec>()
            .unwrap()
            .to_string(),
        "!test? ( test )"
    );
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
        assert_eq!(
            fails_at::<DepSpec>(text),
            at,
            "{text:?}: {}",
            text.parse::<DepSpec>().unwrap_err()
        );
    }
    assert_eq!(fails_at::<SrcUriSpec>("|| ( a )"), 0);
    assert_eq!(fails_at::<SrcUriSpec>("a -> b/c"), 6);
    assert_eq!(fails_at::<SrcUriSpec>("a ->"), 4);
}

#[test]
fn an_ebuild_value_is_laid_out_over_lines() {
    let spec: DepSpec =
        "a/b:= x? ( c/d ) y? ( c/d e/f ) || ( a/b ( c/d >=e/f-1 ) ) z? ( || ( a/b c/d ) )"
            .parse()
            .unwrap();
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
fn flags_stay_together_while_they_fit() {
    let spec: RequiredUse = "|| ( gfx90a gfx942 ) test? ( ^^ ( a b ) c ) \
        composable-kernel? ( || ( amdgpu_targets_gfx908 amdgpu_targets_gfx90a amdgpu_targets_gfx942 ) )"
        .parse()
        .unwrap();
    insta::assert_snapshot!(format!("REQUIRED_USE=\"\n{}\"", spec.layout(1)), @r#"
    REQUIRED_USE="
    	|| ( gfx90a gfx942 )
    	test? ( ^^ ( a b ) c )
    	composable-kernel? (
    		|| ( amdgpu_targets_gfx908 amdgpu_targets_gfx90a amdgpu_targets_gfx942 )
    	)
    "
    "#);
}

#[test]
fn iuse_keeps_its_order_and_defaults() {
    let iuse: Iuse = "+b -c a b".parse().unwrap();
    assert_eq!(iuse.to_string(), "b -c a");
    let iuse: Iuse = "+amdgpu_targets_gfx90a  -c\ta".parse().unwrap();
    let on: Vec<&str> = iuse
        .defaults()
        .filter(|(_, on)| *on)
        .map(|(flag, _)| flag.as_str())
        .collect();
    assert_eq!(on, ["amdgpu_targets_gfx90a"]);
    assert_eq!(fails_at::<Iuse>("a +"), 3);
    assert_eq!(fails_at::<Iuse>("a +b.c"), 4);
}

#[test]
fn answers_are_lines_of_json() {
    let lines = r#"
        {"op":"atom","s":"!!=a/b-1.2*:0/3=::gentoo[c,-d(+),e?]"}
        {"op":"atom","s":"a/b"}
        {"op":"atom","s":"a/b-1"}
        {"op":"required_use","s":"^^ ( a b )","on":["a"],"iuse":["a","b"]}
        {"op":"required_use","s":"?? ( a b )","on":["a","b"],"iuse":["a","b"]}
        {"op":"required_use","s":"a? ( c )","on":[],"iuse":["a","b"]}
        {"op":"use_reduce","s":"a? ( || ( x/b x/c ) ) !a? ( x/d )","on":["a"]}
        {"op":"use_reduce","s":"|| ( a? ( x/b ) )","on":[]}
        {"op":"use_reduce","s":"|| ( )","on":[]}
        {"op":"use_reduce","s":"x/a[b?,c=]","on":["b"],"atoms":true}
        {"op":"vercmp","a":"1.10","b":"1.9"}
        {"op":"vercmp","a":"1_rc","b":"1"}
        {"op":"vercmp","a":"1-r0","b":"1"}
        {"op":"vercmp","a":"1..2","b":"1"}
        {"op":"match","atom":"=a/b-1*","cpv":"a/b-1.2-r3"}
        {"op":"match","atom":"a/b:2","cpv":"a/b-1:3"}
        {"op":"match","atom":"a/b","cpv":"a/b"}
        {"op":"moo"}
        {"op":"vercmp","a":"1"}
        [1]
        nonsense"#;
    let answers: Vec<String> = lines
        .trim()
        .lines()
        .map(|line| answer(line.trim()))
        .collect();
    insta::assert_snapshot!(answers.join("\n"), @r#"
    {"ok":true,"cp":"a/b","version":"1.2","slot":"0","sub_slot":"3","slot_op":"=","use":["c","-d(+)","e?"],"operator":"=*","blocker":"!!","repo":"gentoo"}
    {"ok":true,"cp":"a/b","version":null,"slot":null,"sub_slot":null,"slot_op":null,"use":[],"operator":null,"blocker":null,"repo":null}
    {"ok":false,"err":"`a/b-1` has a version and so needs an operator, such as `=` (at byte 4)"}
    {"ok":true,"sat":true}
    {"ok":true,"sat":false}
    {"ok":false,"err":"USE flag `c` is not in IUSE"}
    {"ok":true,"r":["||","(","x/b","x/c",")"]}
    {"ok":true,"r":["__const__/empty-any-of"]}
    {"ok":false,"err":"expected a dependency, got `)`: the group is empty (at byte 5)"}
    {"ok":true,"r":["x/a[b,-c]"]}
    {"ok":true,"r":1}
    {"ok":true,"r":-1}
    {"ok":true,"r":0}
    {"ok":false,"err":"a: `1..2` is not a version: expected a digit (at byte 2)"}
    {"ok":true,"r":true}
    {"ok":true,"r":false}
    {"ok":false,"err":"cpv: `a/b` does not end in a hyphen and a version (at byte 3)"}
    {"ok":false,"err":"not a question: unknown variant `moo`, expected one of `atom`, `required_use`, `use_reduce`, `vercmp`, `match` at line 1 column 11"}
    {"ok":false,"err":"not a question: missing field `b`"}
    {"ok":false,"err":"not a question: invalid type: integer `1`, expected variant identifier at line 1 column 2"}
    {"ok":false,"err":"not a question: expected ident at line 1 column 2"}
    "#);
}

#[test]
fn monsters_are_errors() {
    let deep = format!("{}a/b{}", "( ".repeat(10_000), " )".repeat(10_000));
    assert!(deep.parse::<DepSpec>().is_err());
    assert!("( ".repeat(10_000).parse::<RequiredUse>().is_err());
    let long = "x".repeat(1 << 20);
    assert!(long.parse::<Atom>().is_err());
    assert!(
        format!("a/b[{}", "x,".repeat(1 << 19))
            .parse::<Atom>()
            .is_err()
    );
    assert!(long.parse::<Version>().unwrap_err().message.len() < 200);
    assert!("a/b\0c".parse::<DepSpec>().is_err());
    assert!(answer_bytes(b"{\"op\":\"atom\",\"s\":\"\xff\"}").contains("\"ok\":false"));
    let open = "( ".repeat(10_000);
    for op in ["atom", "required_use", "use_reduce"] {
        for s in [
            &deep,
            &open,
            &long,
            &"\0".repeat(1 << 20),
            &"a? ".repeat(1 << 18),
            &"|| ( ".repeat(1 << 17),
        ] {
            let answer =
                answer(&serde_json::json!({ "op": op, "s": s, "on": [], "iuse": [] }).to_string());
            let is_leaf = op == "use_reduce" && !s.contains(' ');
            assert_eq!(answer.contains("\"ok\":false"), !is_leaf, "{op}");
        }
    }
}

#[test]
fn long_texts_take_linear_time() {
    // A quadratic step would take minutes here.
    let flags: Vec<String> = (0..40_000).map(|index| format!("flag{index}")).collect();
    let question = serde_json::json!({
        "op": "required_use", "s": format!("|| ( {} )", flags.join(" ")), "on": &flags[39_999..], "iuse": flags,
    });
    assert_eq!(answer(&question.to_string()), r#"{"ok":true,"sat":true}"#);
    let atom = format!("a/b[{}]", flags.join(","));
    assert_eq!(atom.parse::<Atom>().unwrap().use_deps().len(), 40_000);
    let defaults: Vec<String> = flags.iter().map(|flag| format!("{flag}(+)")).collect();
    assert!(
        format!("a/b[{},flag7]", defaults.join(","))
            .parse::<Atom>()
            .is_err()
    );
    let spec: RequiredUse = format!("a? ( {} ) {}", flags.join(" "), "b? ( c ) ".repeat(20_000))
        .parse()
        .unwrap();
    assert_eq!(spec.unmet(|flag| flag == "a").nodes.len(), 1);
    let version = "1.".repeat(500_000) + "1";
    assert_eq!(
        version.parse::<Version>().unwrap(),
        version.parse::<Version>().unwrap()
    );
    let dots = format!("a/{}1", "b-1.".repeat(250_000));
    assert!(dots.parse::<rocpkg_pms::Cpv>().is_err());
    let hyphens = format!("={}1.", "a/".to_owned() + &"b-1-".repeat(250_000));
    assert!(hyphens.parse::<Atom>().is_err());
    let nested = format!(
        "{}{}{}",
        "|| ( ".repeat(200),
        "x/y ".repeat(20_000),
        " )".repeat(200)
    );
    assert_eq!(use_reduce(&nested, |_| false, false).unwrap().len(), 2);
}

#[test]
fn a_long_list_of_alternatives_is_reduced_in_linear_time() {
    let text = "|| ( ( x/y x/z ) ( a? ( b/c ) d/e ) ) ".repeat(30_000);
    assert_eq!(use_reduce(&text, |_| false, false).unwrap().len(), 60_000);
}

#[test]
fn values_are_strings_of_serde() {
    let atom: Atom = ">=dev-util/hip-7:0=[rocm(-)?]".parse().unwrap();
    let depends: DepSpec = "rocm? ( dev-util/hip )".parse().unwrap();
    let text = serde_json::to_string(&(&atom, &depends)).unwrap();
    assert_eq!(
        text,
        r#"[">=dev-util/hip-7:0=[rocm(-)?]","rocm? ( dev-util/hip )"]"#
    );
    let read: (Atom, DepSpec) = serde_json::from_str(&text).unwrap();
    assert_eq!(read, (atom, depends));
    let error = serde_json::from_str::<Atom>("\"a b\"")
        .unwrap_err()
        .to_string();
    assert!(error.contains("at byte"), "{error}");
}
