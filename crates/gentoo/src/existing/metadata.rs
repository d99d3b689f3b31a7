//! Merges a rendered `metadata.xml` into the existing one (GLEP 68).

use roxmltree::{Document, Node, ParsingOptions};

/// Returns the existing `metadata.xml` (`present`) with those USE flags of the rendered one that it
/// lacks. Flags for which `has_flag` returns false, as no ebuild has them, are left out. The flags
/// are inserted in alphabetical order. All existing text stays byte for byte, including
/// descriptions and maintainers. Returns `None` if one of the files can't be parsed.
pub fn join_metadata(
    rendered: &str,
    present: &str,
    has_flag: impl Fn(&str) -> bool,
) -> Option<String> {
    let (new, old) = (read(rendered)?, read(present)?);
    let known: Vec<&str> = flags(&old).filter_map(name).collect();
    let mut lacking: Vec<Node> = flags(&new)
        .filter(|f| name(*f).is_some_and(|name| !known.contains(&name) && has_flag(name)))
        .collect();
    lacking.sort_by_key(|flag| name(*flag));
    let Some(first) = lacking.first() else {
        return Some(present.to_owned());
    };
    let end = if present.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let text = |node: Node| rendered[node.range()].replace('\n', end);
    let mut edits: Vec<(usize, String)> = Vec::new();
    let last = flags(&old).last();
    if let Some(last) = last {
        for flag in &lacking {
            let after = flags(&old).find(|other| name(*other) > name(*flag));
            edits.push(if let Some(next) = after {
                let at = next.range().start;
                (at, format!("{}{}", text(*flag), gap(present, at)))
            } else {
                let gap = gap(present, last.range().start);
                (last.range().end, format!("{gap}{}", text(*flag)))
            });
        }
    } else {
        let root = old.root_element();
        // The list of flags belongs behind the maintainers and above `upstream`.
        let next = root
            .children()
            .find(|n| n.has_tag_name("upstream"))
            .map(|n| n.range().start);
        let closing = || {
            present[root.range()]
                .rfind("</")
                .map(|at| root.range().start + at)
        };
        let at = next.or_else(closing)?;
        let block = block(rendered, *first, &lacking).replace('\n', end);
        let (before, behind) = if next.is_some() {
            ("", "\t")
        } else {
            ("\t", "")
        };
        edits.push((at, format!("{before}{block}{end}{behind}")));
    }
    // Flags at the same position keep their order.
    let mut joined = present.to_owned();
    for (at, text) in edits.into_iter().rev() {
        joined.insert_str(at, &text);
    }
    Some(joined)
}

/// Returns the text of the element `<use>` that contains `flag` in the file `rendered`. Of its
/// flags only those in `some` are kept.
fn block(rendered: &str, flag: Node, some: &[Node]) -> String {
    let Some(list) = flag.parent() else {
        return String::new();
    };
    let mut text = rendered[list.range()].to_owned();
    let others = list
        .children()
        .filter(|n| n.has_tag_name("flag") && !some.contains(n));
    for other in others.collect::<Vec<_>>().into_iter().rev() {
        let (start, end) = (other.range().start, other.range().end);
        let start = start - gap(rendered, start).len();
        text.replace_range(start - list.range().start..end - list.range().start, "");
    }
    text
}

/// Parses a document; `None` if the text is no XML.
fn read(text: &str) -> Option<Document<'_>> {
    // The document refers to a DTD.
    Document::parse_with_options(
        text,
        ParsingOptions {
            allow_dtd: true,
            ..ParsingOptions::default()
        },
    )
    .ok()
}

/// Returns the elements `<flag>` of a `metadata.xml`, which describe USE flags.
fn flags<'a>(document: &'a Document) -> impl Iterator<Item = Node<'a, 'a>> {
    let uses = document
        .root_element()
        .children()
        .filter(|n| n.has_tag_name("use"));
    uses.flat_map(|list| list.children())
        .filter(|n| n.has_tag_name("flag"))
}

fn name<'a>(flag: Node<'a, '_>) -> Option<&'a str> {
    flag.attribute("name")
}

/// Returns the whitespace between the preceding text and the element that begins at byte `at`: the
/// end of a line and the indentation, or less if several elements are on one line.
fn gap(text: &str, at: usize) -> &str {
    let start = text[..at].trim_end().len();
    let blanks = &text[start..at];
    // Blank lines above an element are not part of the gap.
    blanks.rfind('\n').map_or(blanks, |end| {
        let has_return = blanks[..end].ends_with('\r');
        &blanks[end - usize::from(has_return)..]
    })
}
