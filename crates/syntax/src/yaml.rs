//! Reader of `package.yml`, with granit-parser: keys, elements of lists, and the lines of scripts
//! with the options of the commands that configure.

use crate::lists::array;
use crate::outline::{Body, Form, ItemKind, List, Node, Outline, Reading};
use crate::unreadable::{MOST_LEVELS, Unreadable};
use crate::value::NormalText;
use crate::variables::line_of_script;
use crate::words::{VERSION, Words};
use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, ScanError, StructureStyle};
use std::ops::Range;

/// Reads a recipe.
///
/// # Errors
/// The first byte that is not YAML, and a text that is too deep or too long to be a recipe. A
/// second document, or a key that is no scalar, is an error too.
pub(crate) fn read(text: &str, reading: &Reading) -> Result<Outline, Unreadable> {
    let tree = parse(text)?;
    let pairs = match &tree {
        Some(YamlTree::Map { pairs, .. }) => pairs.as_slice(),
        _ => &[],
    };
    let version = pairs.iter().find_map(|(key, value)| match (key, value) {
        (YamlTree::Scalar { text: key, .. }, YamlTree::Scalar { text, .. }) if key == "version" => {
            Some(text.trim().to_owned())
        }
        _ => None,
    });
    let reader = YamlReader { text, version };
    let nodes = match &tree {
        None => Vec::new(),
        Some(YamlTree::Scalar { at, .. } | YamlTree::Flow(at)) => {
            return Err(Unreadable::syntax(at.start));
        }
        Some(tree) => reader.items(tree)?,
    };
    Ok(Outline::new(text, nodes, reading, Words::default()))
}

/// A value of YAML with its bytes.
enum YamlTree {
    /// A scalar, or an alias.
    Scalar {
        at: Range<usize>,
        text: String,
        style: ScalarStyle,
    },
    /// A list whose elements are behind `- `.
    List { at: usize, elements: Vec<YamlTree> },
    /// A mapping whose entries are on lines, without braces.
    Map {
        at: usize,
        pairs: Vec<(YamlTree, YamlTree)>,
    },
    /// A list or a mapping in brackets.
    Flow(Range<usize>),
}

impl YamlTree {
    /// Returns the first byte.
    fn start(&self) -> usize {
        match self {
            Self::Scalar { at, .. } | Self::Flow(at) => at.start,
            Self::List { at, .. } | Self::Map { at, .. } => *at,
        }
    }
}

/// A list or a mapping whose end was not read yet.
struct OpenCollection {
    at: usize,
    is_map: bool,
    is_flow: bool,
    children: Vec<YamlTree>,
}

impl OpenCollection {
    fn close(self, end: usize) -> YamlTree {
        let at = self.at;
        if self.is_flow {
            return YamlTree::Flow(at..end.max(at));
        }
        if !self.is_map {
            let elements = self.children;
            return YamlTree::List { at, elements };
        }
        let mut pairs = Vec::new();
        let mut all = self.children.into_iter();
        while let (Some(key), Some(value)) = (all.next(), all.next()) {
            pairs.push((key, value));
        }
        YamlTree::Map { at, pairs }
    }
}

/// Reads the one document of a text. Returns none for an empty document.
fn parse(text: &str) -> Result<Option<YamlTree>, Unreadable> {
    Unreadable::if_too_long(text)?;
    let mut open: Vec<OpenCollection> = Vec::new();
    let mut root = None;
    let mut options = Options::default();
    options.set_emit_comments(false);
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|e| refused(&e))?;
        let at = span.byte_range().unwrap_or_default();
        let done = match event {
            Event::SequenceStart(style, ..) | Event::MappingStart(style, ..) => {
                open.push(OpenCollection {
                    at: at.start,
                    is_map: matches!(event, Event::MappingStart(..)),
                    is_flow: style == StructureStyle::Flow,
                    children: Vec::new(),
                });
                if open.len() > MOST_LEVELS {
                    return Err(Unreadable::too_deep(at.start));
                }
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(collection) => collection.close(at.end),
                None => continue,
            },
            Event::Scalar(value, style, ..) => YamlTree::Scalar {
                text: value.into_owned(),
                style,
                at,
            },
            Event::Alias(_) | Event::UnresolvedAlias(_) => YamlTree::Scalar {
                text: text.get(at.clone()).unwrap_or_default().to_owned(),
                style: ScalarStyle::Plain,
                at,
            },
            _ => continue,
        };
        match open.last_mut() {
            Some(around) => around.children.push(done),
            None if root.is_none() => root = Some(done),
            None => return Err(Unreadable::syntax(done.start())),
        }
    }
    // A text that consists of comments is an empty document.
    Ok(root.filter(|tree| !matches!(tree, YamlTree::Scalar { at, .. } if at.is_empty())))
}

fn refused(error: &ScanError) -> Unreadable {
    let at = error.marker().byte_offset().unwrap_or(0);
    match error.kind() {
        ErrorKind::RecursionLimitExceeded => Unreadable::too_deep(at),
        _ => Unreadable::syntax(at),
    }
}

struct YamlReader<'a> {
    text: &'a str,
    version: Option<String>,
}

impl YamlReader<'_> {
    /// Returns the items of a list or a mapping. A scalar has none.
    fn items(&self, tree: &YamlTree) -> Result<Vec<Node>, Unreadable> {
        let mut nodes = match tree {
            YamlTree::Map { pairs, .. } => {
                let nodes = pairs
                    .iter()
                    .map(|(key, value)| self.pair(key, value, key.start()));
                nodes.collect::<Result<_, _>>()?
            }
            YamlTree::List { elements, .. } => {
                let nodes = elements.iter().map(|element| self.element(element));
                nodes.collect::<Result<_, _>>()?
            }
            YamlTree::Scalar { .. } | YamlTree::Flow(_) => Vec::new(),
        };
        Body::number(&mut nodes);
        Ok(nodes)
    }

    /// Returns an element of a list, together with its `-`.
    fn element(&self, element: &YamlTree) -> Result<Node, Unreadable> {
        let before = self.text[..element.start()].trim_end();
        let start = if before.ends_with('-') {
            before.len() - 1
        } else {
            element.start()
        };
        match element {
            YamlTree::Map { pairs, .. } => {
                let Some(((key, value), further)) = pairs.split_first() else {
                    return Err(Unreadable::syntax(start));
                };
                let mut node = self.pair(key, value, start)?;
                for (key, value) in further {
                    let inner = self.pair(key, value, key.start())?;
                    self.add(&mut node, inner);
                }
                Ok(node)
            }
            YamlTree::List { .. } => {
                let inside = self.line_end(start);
                let items = (inside, self.items(element)?);
                Ok(Self::with_items(NormalText::plain("-"), "", start, items))
            }
            YamlTree::Scalar { at, text, style } if !is_block(*style) => {
                let end = self.end(at, start + 1);
                let key = self.value(if at.is_empty() { "-" } else { text });
                Ok(Node::leaf(key, NormalText::default(), start..end))
            }
            YamlTree::Scalar { at, .. } => {
                let header = self.header(start + 1);
                let lines = self.script(start, at.end);
                let inside = self.line_end(start);
                Ok(Self::with_items(
                    NormalText::plain("-"),
                    header,
                    start,
                    (inside, lines),
                ))
            }
            YamlTree::Flow(at) => {
                let key = self.value(&self.text[at.clone()]);
                Ok(Node::leaf(key, NormalText::default(), start..at.end))
            }
        }
    }

    /// Returns a key with its value. The item begins at `start`: at its key, or at the `-` before
    /// it.
    fn pair(&self, key: &YamlTree, value: &YamlTree, start: usize) -> Result<Node, Unreadable> {
        let YamlTree::Scalar { at: key, text, .. } = key else {
            return Err(Unreadable::syntax(key.start()));
        };
        let name = self.value(text);
        let inside = self.line_end(key.end);
        // The colon belongs to the item too.
        let colon = self.text[key.end..]
            .find(':')
            .map_or(key.end, |n| key.end + n + 1);
        let leaf = |value: NormalText, at: Range<usize>| {
            let whole = start..at.end;
            Node {
                value_at: at,
                ..Node::leaf(name.clone(), value, whole)
            }
        };
        match value {
            YamlTree::Scalar { at, text, style } if !is_block(*style) => {
                if at.is_empty() {
                    return Ok(Node::leaf(name, NormalText::default(), start..colon));
                }
                let at = at.start..self.end(at, colon);
                Ok(leaf(self.value(text), at))
            }
            YamlTree::Scalar { at, .. } => {
                let header = self.header(colon);
                let lines = self.script(colon, at.end);
                if lines.is_empty() {
                    return Ok(Node::leaf(name, NormalText::plain(header), start..inside));
                }
                Ok(Self::with_items(name, header, start, (inside, lines)))
            }
            YamlTree::Flow(at) => Ok(leaf(self.value(&self.text[at.clone()]), at.clone())),
            YamlTree::List { .. } | YamlTree::Map { .. } => {
                let items = (inside, self.items(value)?);
                Ok(Self::with_items(name, "", start, items))
            }
        }
    }

    /// Returns an item that contains the items `nodes`. The item begins at the byte `start`, and
    /// its inner items begin behind the byte `inside`. `value` is the header of a script, such as
    /// `|`, or empty.
    fn with_items(
        key: NormalText,
        value: &str,
        start: usize,
        (inside, nodes): (usize, Vec<Node>),
    ) -> Node {
        let end = nodes.last().map_or(inside, |node| node.at.end).max(inside);
        let is_script = value.starts_with(['|', '>']);
        let body = Body {
            inside: inside..end,
            nodes,
            kind: if is_script {
                ItemKind::Steps
            } else {
                ItemKind::Items
            },
            form: Form::Lines,
            list: None,
        };
        Node {
            body: Some(body),
            ..Node::leaf(key, NormalText::plain(value), start..end)
        }
    }

    /// Adds `inner`, a further key of a mapping, to the element of a list that the mapping is.
    fn add(&self, element: &mut Node, inner: Node) {
        let inside = self.line_end(element.at.start);
        let end = inner.at.end;
        let body = element.body.get_or_insert_with(|| Body {
            inside: inside..inside,
            nodes: Vec::new(),
            kind: ItemKind::Items,
            form: Form::Lines,
            list: None,
        });
        body.nodes.push(inner);
        Body::number(&mut body.nodes);
        body.inside.end = end;
        element.at.end = end;
        element.value_at = element.at.clone();
    }

    /// Returns the lines of a script. The script is below the line that contains the byte `header`,
    /// and ends at the byte `end`. A line that ends with a backslash and the next line are one
    /// item.
    fn script(&self, header: usize, end: usize) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut text = String::new();
        let mut from = None;
        let mut start = self.line_end(header);
        for line in self.text[start..end.max(start)].split_inclusive('\n') {
            let trimmed = line.trim();
            let line_at = start + line.len() - line.trim_start().len();
            let end = line_at + trimmed.len();
            start += line.len();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            let first = *from.get_or_insert(line_at);
            text.push_str(trimmed.trim_end_matches('\\'));
            text.push(' ');
            if !trimmed.ends_with('\\') {
                nodes.push(self.command(&text, first..end));
                text.clear();
                from = None;
            }
        }
        Body::number(&mut nodes);
        nodes
    }

    /// Returns the command `text` of a script, which has the bytes `at`. The options of a command
    /// that configures, such as `%cmake_ninja`, are items of its body.
    fn command(&self, text: &str, at: Range<usize>) -> Node {
        let line = line_of_script(self.text, at.clone());
        let value = NormalText {
            written: line.written,
            ..self.value(&line.open)
        };
        let name = text.split_whitespace().next().unwrap_or_default();
        let mut parts = name.trim_start_matches('%').split('_');
        let configures = parts.any(|part| matches!(part, "cmake" | "configure" | "meson"))
            && (name.starts_with('%') || text.contains(" -D"));
        let inside = at.start + name.len()..at.end;
        let mut body = array(self.text, inside, List::Options, &Words::default(), &[]);
        let is_one = |node: &Node| !node.key.written.contains(['|', '&', ';', '<', '>']);
        if !configures || body.nodes.is_empty() || !body.nodes.iter().all(is_one) {
            return Node::leaf(value.clone(), value, at);
        }
        for node in &mut body.nodes {
            node.key = self.value(&node.key.written);
            node.value = self.value(&node.value.written);
        }
        Node {
            body: Some(body),
            ..Node::leaf(NormalText::plain(name), NormalText::default(), at)
        }
    }

    /// Returns the header of a block scalar behind a `:` or `-`, such as `|` or `>-`.
    fn header(&self, at: usize) -> &str {
        let line = self.text[at..].lines().next().unwrap_or_default();
        line.split_whitespace().next().unwrap_or_default()
    }

    /// Returns the end of the line that contains the byte `at`, without the blanks at its end.
    fn line_end(&self, at: usize) -> usize {
        let end = self.text[at..]
            .find('\n')
            .map_or(self.text.len(), |n| at + n);
        at + self.text[at..end].trim_end().len()
    }

    /// Returns the end of the scalar at the bytes `at`, without the blanks behind it, and `least`
    /// if that is further.
    fn end(&self, at: &Range<usize>, least: usize) -> usize {
        let written = self.text.get(at.clone()).unwrap_or_default();
        (at.start + written.trim_end().len()).max(least)
    }

    fn value(&self, text: &str) -> NormalText {
        let written = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let put = |version: &str| {
            written
                .replace("%version%", version)
                .replace("${version}", version)
        };
        let open = put(&VERSION.to_string());
        let real = self.version.as_deref().map_or_else(|| open.clone(), put);
        NormalText {
            written,
            open,
            real,
        }
    }
}

/// Returns true if a scalar is on lines of its own, behind `|` or `>`.
fn is_block(style: ScalarStyle) -> bool {
    matches!(style, ScalarStyle::Literal | ScalarStyle::Folded)
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::outline::{Language, Node, Outline, Reading, Rules};

    static RULES: Rules = Rules {
        version: "version",
        ..Rules::NONE
    };

    fn outline(text: &str) -> Outline {
        let reading = Reading {
            language: Language::Yaml,
            rules: &RULES,
            given: Vec::new(),
        };
        read(text, &reading).expect("it can be read")
    }

    /// Returns the key, the value, the text of the value and the text of each item of a recipe.
    /// Each item is on a line that is indented by its level.
    fn shown(text: &str) -> String {
        fn add(text: &str, nodes: &[Node], level: usize, out: &mut String) {
            for node in nodes {
                let (at, value_at) = (&text[node.at.clone()], &text[node.value_at.clone()]);
                let indent = " ".repeat(level);
                let (key, value) = (&node.key.written, &node.value.written);
                out.push_str(&format!("{indent}{key} = {value} {value_at:?} {at:?}\n"));
                add(text, node.nodes(), level + 1, out);
            }
        }
        let outline = outline(text);
        let mut out = String::new();
        add(text, &outline.root.nodes, 0, &mut out);
        out
    }

    #[test]
    fn a_remark_belongs_to_nobody() {
        let text = "release : 7 # rebuilt\n# above\nlist : # remark\n    - a # why\n    - b\n";
        let expected = "release = 7 \"7\" \"release : 7\"\n\
            list =  \"list : # remark\\n    - a # why\\n    - b\" \"list : # remark\\n    - a # why\\n    - b\"\n \
            a =  \"- a\" \"- a\"\n \
            b =  \"- b\" \"- b\"\n";
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn quotes_and_line_ends_are_no_part_of_a_value() {
        let text = "version : '7.1.1'\r\nempty :\r\nx : \"a b\"\r\n";
        let expected = "version = 7.1.1 \"'7.1.1'\" \"version : '7.1.1'\"\n\
            empty =  \"empty :\" \"empty :\"\n\
            x = a b \"\\\"a b\\\"\" \"x : \\\"a b\\\"\"\n";
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn elements_have_keys_and_lists_of_their_own() {
        let text = "version : 1.2\nsource :\n    - https://a.b/x-1.2.gz : abc\nrundeps :\n    - devel :\n        - hip\n    - [a, b]\n    - c : 1\n      d : 2\n";
        let outline = outline(text);
        let source = outline.get(&["source"]).expect("a source");
        assert_eq!(source.nodes()[0].key.real, "https://a.b/x-1.2.gz");
        assert_eq!(source.nodes()[0].value.written, "abc");
        let devel = outline.get(&["rundeps", "devel", "hip"]).expect("a word");
        assert_eq!(&text[devel.at.clone()], "- hip");
        assert!(outline.get(&["rundeps", "[a, b]"]).is_some());
        let further = outline.get(&["rundeps", "c", "d"]).expect("a key");
        assert_eq!(&text[further.value_at.clone()], "2");
    }

    #[test]
    fn scripts_are_lines() {
        let text = "setup : |\n    # no step\n    %a %version% \\\n      b\n\n    c: d\nlast : 1\n";
        let outline = outline(text);
        let setup = outline.get(&["setup"]).expect("a script");
        let lines: Vec<&str> = setup.nodes().iter().map(|n| &text[n.at.clone()]).collect();
        assert_eq!(lines, ["%a %version% \\\n      b", "c: d"]);
        assert_eq!(setup.value.written, "|");
        let body = setup.body.as_ref().expect("a body");
        assert_eq!(
            &text[body.inside.clone()],
            &text["setup : |".len()..setup.at.end]
        );
        assert!(outline.get(&["last"]).is_some());
    }

    #[test]
    fn options_of_a_command_that_configures_are_items() {
        let text = "version : 1.2\nsetup : |\n    %cmake_ninja -S a/b -L \\\n      -DA=\"x;y\" \\\n      -D B=%version%\n    cmake --build .\n";
        let outline = outline(text);
        let option = |key: &str| outline.get(&["setup", "%cmake_ninja", key]);
        let value = |key: &str| option(key).map(|node| node.value.real.as_str());
        assert_eq!(value("-S"), Some("a/b"));
        assert_eq!(value("-L"), Some(""));
        assert_eq!(value("-DA"), Some("x;y"));
        assert_eq!(value("-DB"), Some("1.2"));
        assert!(outline.get(&["setup", "cmake --build ."]).is_some());
    }
}
