//! A rendered `metadata.xml` is merged into an existing one.

use rocpkg_gentoo::internal::join_metadata;

fn join(rendered: &str, present: &str) -> String {
    join_metadata(rendered, present, |_| true).expect("two documents")
}

const RENDERED: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!DOCTYPE pkgmetadata SYSTEM \"https://www.gentoo.org/dtd/metadata.dtd\">
<pkgmetadata>
\t<use>
\t\t<flag name=\"benchmark\">Build the <pkg>sci-libs/rocBLAS</pkg> benchmarks</flag>
\t\t<flag name=\"client\">Build the client</flag>
\t\t<flag name=\"tensile\">Tuned kernels</flag>
\t</use>
</pkgmetadata>
";

fn document(inside: &str) -> String {
    format!(
        "<!DOCTYPE pkgmetadata SYSTEM \"x\">\n<!-- by hand -->\n<pkgmetadata>\n{inside}</pkgmetadata>\n"
    )
}

#[test]
fn only_flags_are_added_each_where_its_name_sorts() {
    let old = "\t<use>\n\t\t<flag name=\"client\">By hand</flag> <!-- why -->\n\t\t<flag name=\"old\">Of 6.4.1</flag>\n\t</use>\n";
    let joined = join(RENDERED, &document(old));
    let new = old
        .replace(
            "\t\t<flag name=\"client\"",
            "\t\t<flag name=\"benchmark\">Build the <pkg>sci-libs/rocBLAS</pkg> benchmarks</flag>\n\t\t<flag name=\"client\"",
        )
        .replace("6.4.1</flag>\n", "6.4.1</flag>\n\t\t<flag name=\"tensile\">Tuned kernels</flag>\n");
    assert_eq!(joined, document(&new));
    assert_eq!(join(RENDERED, &joined), joined);
}

#[test]
fn several_at_one_place_keep_their_order() {
    for flag in ["a", "zz"] {
        let old = document(&format!(
            "  <use>\n    <flag name=\"{flag}\">x</flag>\n  </use>\n"
        ));
        let joined = join(RENDERED, &old);
        let order: Vec<usize> = ["benchmark", "client", "tensile"]
            .iter()
            .map(|f| joined.find(f).unwrap())
            .collect();
        assert!(order.is_sorted(), "{joined}");
        assert!(
            joined.contains("\n    <flag name=\"tensile\">Tuned kernels</flag>\n"),
            "{joined}"
        );
        assert_eq!(joined.lines().count(), old.lines().count() + 3);
    }
}

#[test]
fn a_list_keeps_its_lines() {
    let flag = |name: &str, text: &str| format!("<flag name=\"{name}\">{text}</flag>");
    let new = [
        flag(
            "benchmark",
            "Build the <pkg>sci-libs/rocBLAS</pkg> benchmarks",
        ),
        flag("client", "Build the client"),
        flag("tensile", "Tuned kernels"),
    ];
    let own = |name: &str| flag(name, "Ours");
    let list = |start: &str, all: &[String], between: &str, end: &str| {
        document(&format!("<use>{start}{}{end}</use>\n", all.join(between)))
    };
    for (start, between, end) in [
        ("", "", ""),
        (" ", " ", " "),
        ("", "\n", ""),
        ("\n", "\n", "\n"),
        ("\n   ", "\n   ", "\n "),
    ] {
        for at in 0..=new.len() {
            let name = ["a", "bz", "d", "zz"][at];
            let mut all = new.to_vec();
            all.insert(at, own(name));
            let old = list(start, &[own(name)], between, end);
            // With a single flag, the text before it is that of the list's start.
            let between = if start.is_empty() { "" } else { between };
            let expected = list(start, &all, between, end);
            assert_eq!(join(RENDERED, &old), expected);
            let crlf = |text: &str| text.replace('\n', "\r\n");
            assert_eq!(join(RENDERED, &crlf(&old)), crlf(&expected));
        }
        let (two, all) = (
            [own("a"), own("zz")],
            [&[own("a")], &new[..], &[own("zz")]].concat(),
        );
        let old = list(start, &two, between, end);
        assert_eq!(join(RENDERED, &old), list(start, &all, between, end));
        let expected = join(RENDERED, &old);
        assert_eq!(join(RENDERED, &expected), expected);
    }
}

#[test]
fn a_list_comes_where_there_is_none() {
    let list =
        &RENDERED[RENDERED.find("\t<use>").unwrap()..RENDERED.find("</pkgmetadata>").unwrap()];
    let (maintainer, upstream) = (
        "\t<maintainer type=\"person\"/>\n",
        "\t<upstream>\n\t</upstream>\n",
    );
    let both = document(&format!("{maintainer}{upstream}"));
    assert_eq!(
        join(RENDERED, &both),
        document(&format!("{maintainer}{list}{upstream}"))
    );
    assert_eq!(
        join(RENDERED, &document(maintainer)),
        document(&format!("{maintainer}{list}"))
    );
}

#[test]
fn what_lacks_nothing_or_can_not_be_read_stays() {
    assert_eq!(join(RENDERED, RENDERED), RENDERED);
    assert_eq!(join(&document(""), RENDERED), RENDERED);
    for present in ["", "<pkgmetadata>", "<pkgmetadata/>"] {
        assert_eq!(join_metadata(RENDERED, present, |_| true), None);
    }
    let windows = RENDERED
        .replace("\t\t<flag name=\"client\">Build the client</flag>\n", "")
        .replace('\n', "\r\n");
    assert_eq!(join(RENDERED, &windows), RENDERED.replace('\n', "\r\n"));
}

#[test]
fn flags_that_no_ebuild_has_stay_out() {
    let old = document("\t<use>\n\t\t<flag name=\"own\">Ours</flag>\n\t</use>\n");
    let joined = join_metadata(RENDERED, &old, |flag| flag == "tensile").unwrap();
    let new = "Ours</flag>\n\t\t<flag name=\"tensile\">Tuned kernels</flag>\n";
    assert_eq!(joined, old.replace("Ours</flag>\n", new));
    let bare = document("\t<maintainer type=\"person\"/>\n");
    assert_eq!(join_metadata(RENDERED, &bare, |_| false).unwrap(), bare);
    let joined = join_metadata(RENDERED, &bare, |flag| flag == "client").unwrap();
    let list = "\t<use>\n\t\t<flag name=\"client\">Build the client</flag>\n\t</use>\n";
    assert_eq!(
        joined,
        bare.replace("</pkgmetadata>", &format!("{list}</pkgmetadata>"))
    );
}

#[test]
fn all_elements_stand_in_the_order_of_the_dtd() {
    let text = rocpkg_gentoo::Metadata::default()
        .person("Jane Doe", "jane@example.org")
        .long_description("A & B.")
        .slot("0", "The <new> one")
        .subslots("The version of libthing")
        .flag("hip", "Build for AMD GPUs")
        .changelog("https://example.org/changes")
        .documentation("https://example.org/doc")
        .bugs_to("mailto:bugs@example.org")
        .remote_id(rocpkg_gentoo::Tracker::PyPi, "thing")
        .github("a/thing")
        .to_string();
    let elements = [
        "<longdescription lang=\"en\">A &amp; B.</longdescription>",
        "<slot name=\"0\">The &lt;new&gt; one</slot>",
        "<subslots>The version of libthing</subslots>",
        "<flag name=\"hip\">",
        "<changelog>https://example.org/changes</changelog>",
        "<doc>https://example.org/doc</doc>",
        "<bugs-to>mailto:bugs@example.org</bugs-to>",
        "<remote-id type=\"pypi\">thing</remote-id>",
        "<remote-id type=\"github\">a/thing</remote-id>",
    ];
    let places: Vec<Option<usize>> = elements.iter().map(|element| text.find(element)).collect();
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{text}"
    );
}
