//! Prints an ebuild. The code in this file prints the parts that wrap or nest, and the template
//! `ebuild.j2` prints the others.

use crate::lower::expand::{OFFERED_TARGETS, SUPPORTED_TARGETS};
use crate::value::dep::{Dep, Required, Written};
use crate::value::ebuild::{Ebuild, OwnTargets, Variable, VariableValue};
use crate::value::tokens::comment;
use minijinja::{Value as Context, context};
use rocpkg_pms::{Node, Spec};
use rocpkg_render::bash::{Item, Quoting, Scope, Stmt, Style, Word, identifier, is_bare, print};
use rocpkg_render::ready;
use std::fmt::Display;

/// The greatest length of a line that pkgcheck accepts (`ExcessiveLineLength`: 120 with the line's
/// end).
const LONGEST_LINE: usize = 119;

/// Gentoo's style of bash: tabs, and lines of about a hundred columns.
pub(crate) const STYLE: Style = Style {
    indent: "\t",
    indent_width: 4,
    width: 100,
    quoting: Quoting::AfterEquals,
    padded_arrays: true,
};

/// Returns the context of an ebuild's template.
pub(crate) fn ebuild_context(e: &Ebuild) -> Context {
    let function = |(name, body): &(String, Vec<Stmt>)| {
        ready(print(
            &[Stmt::Function {
                name: name.clone(),
                body: tidy(body),
            }],
            &STYLE,
        ))
    };
    let functions: Vec<_> = e.functions.iter().map(function).collect();
    let plug_ins = e
        .pytest
        .iter()
        .map(|name| Item::from(Word::lit(format!("pytest-{name}"))));
    let (own, flags) = e.own_targets.as_ref().map(own_targets).unwrap_or_default();
    let asks = |own: &&OwnTargets| {
        e.required_use
            .leaves()
            .contains(&&Required::Expansion(Written::new(
                own.required_use.as_str(),
            )))
    };
    let iuse: Vec<String> = [flags, e.iuse.to_string()]
        .into_iter()
        .filter(|f| !f.is_empty())
        .collect();
    let iuse = iuse.join(" ");
    context! {
        eapi => ready(e.eapi.to_string()),
        year => ready(&e.year),
        early => variables(&e.early),
        inherit => ready(e.inherit.iter().map(|e| Word::lit(e.as_str()).print(Quoting::Whole)).collect::<Vec<_>>().join(" ")),
        comment => e.comment.as_ref().map(|c| ready(comment(c))),
        commits => variables(&e.commits),
        description => ready(quoted(&e.description)),
        homepage => ready(quoted(&e.homepage)),
        checkout => e.checkout.iter().map(|v| ready(variable_or_empty(v))).collect::<Vec<_>>(),
        src_uri => ready(folded(&crate::value::line::printed(&tree(&e.sources)))),
        folders => variables(&e.folders),
        slot => ready(&e.slot),
        slot_of_release => e.slot_of_release.as_ref().map(ready),
        own => ready(own),
        license => ready(e.license.to_string()),
        keywords => Some(&e.keywords).filter(|k| !k.is_empty()).map(|k| ready(quoted(k))),
        iuse => ready(iuse),
        targets_required => e.own_targets.as_ref().filter(asks).map(|own| ready(&own.required_use)),
        required_use => ready(tree(&e.required_use)),
        required_reasons => ready(comment(&e.required_reasons.join("\n"))),
        pytest => ready(array("EPYTEST_PLUGINS", &plug_ins.collect::<Vec<_>>()).trim_end()),
        restrict => ready(e.restrict.to_string()),
        properties => ready(e.properties.to_string()),
        restrict_reason => e.restrict_reason.as_ref().map(|r| ready(comment(r))),
        depends => dependencies(e),
        late => explained(e),
        patches => ready(array("PATCHES", &e.patches)),
        functions => functions,
    }
}

/// Prints a variable as [`variable`] does, but prints an empty array as well: `EGIT_SUBMODULES=()`
/// means that no submodule is fetched.
fn variable_or_empty(v: &Variable) -> String {
    match &v.value {
        VariableValue::Array(items) if items.is_empty() => format!("{}=()\n", v.name),
        _ => variable(v),
    }
}

/// Keeps single blank lines between statements and removes all others.
fn tidy(body: &[Stmt]) -> Vec<Stmt> {
    let mut out: Vec<Stmt> = Vec::new();
    for s in body {
        let blank = matches!(s, Stmt::Blank);
        if blank && (out.is_empty() || matches!(out.last(), Some(Stmt::Blank))) {
            continue;
        }
        out.push(match s {
            Stmt::If {
                branches,
                otherwise,
            } => Stmt::If {
                branches: branches.iter().map(|(t, b)| (t.clone(), tidy(b))).collect(),
                otherwise: tidy(otherwise),
            },
            Stmt::For { name, items, body } => Stmt::For {
                name: name.clone(),
                items: items.clone(),
                body: tidy(body),
            },
            other => other.clone(),
        });
    }
    while matches!(out.last(), Some(Stmt::Blank)) {
        out.pop();
    }
    out
}

fn variables(list: &[Variable]) -> Vec<Context> {
    list.iter().map(|v| ready(variable(v))).collect()
}

/// Prints the variables of [`Ebuild::variable`], each below a comment with the reason for its
/// value, if there is one.
fn explained(e: &Ebuild) -> Vec<Context> {
    let reason = |v: &Variable| v.reason.as_deref().map(comment).unwrap_or_default();
    e.late
        .iter()
        .map(|v| ready(format!("{}{}", reason(v), variable(v))))
        .collect()
}

fn variable(v: &Variable) -> String {
    match &v.value {
        VariableValue::Word(w) => format!("{}={}\n", identifier(&v.name), always_quoted(w)),
        VariableValue::Array(items) => array(&v.name, items),
    }
}

/// Prints a value in double quotes even if bash needs none, as ebuilds do. Numbers have no quotes,
/// and neither has a word of [`Word::split`], such as `${PV}` in `ROCM_VERSION=${PV}`.
fn always_quoted(word: &Word) -> String {
    let text = word.print(Quoting::Whole);
    match word.as_literal() {
        Some(l) if l.bytes().all(|b| b.is_ascii_digit()) && !l.is_empty() => text,
        Some(l) if is_bare(l) => format!("\"{l}\""),
        _ => text,
    }
}

fn array(name: &str, items: &[Item]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let tall = name == "PATCHES" || items.len() > 6;
    print(
        &[Stmt::array(Scope::Plain, name, items.to_vec(), tall)],
        &STYLE,
    )
}

fn quoted(text: &str) -> String {
    Word::quoted(text).print(Quoting::Whole)
}

/// Prints a specification for use in double quotes: a single part that fits on one line on the
/// variable's line, else a line for each part.
fn tree<T: Display>(spec: &Spec<T>) -> String {
    match spec.nodes.as_slice() {
        [] => String::new(),
        [Node::Leaf(leaf)] => leaf.to_string(),
        [node] if spec.layout(1).lines().count() == 1 => node.to_string(),
        _ => format!("\n{}", spec.layout(1)),
    }
}

/// Wraps the lines of `SRC_URI`: if a line is longer than [`LONGEST_LINE`], its end `-> NAME` is
/// moved to a line of its own.
fn folded(addresses: &str) -> String {
    let width =
        |line: &str| line.chars().count() + line.matches('\t').count() * (STYLE.indent_width - 1);
    let fold = |line: &str| match line.split_once(" -> ") {
        Some((address, name)) if width(line) > LONGEST_LINE => {
            let indent: String = line.chars().take_while(|c| *c == '\t').collect();
            format!("{address}\n{indent}\t-> {name}")
        }
        _ => line.to_owned(),
    };
    let lines: Vec<String> = addresses.split('\n').map(fold).collect();
    lines.join("\n")
}

/// Prints the dependency variables. If `DEPEND` includes all of `RDEPEND`, or the reverse, the
/// longer one refers to the other: `DEPEND="${RDEPEND}"`. Else dependencies that both have are
/// printed once, as `COMMON_DEPEND`.
fn dependencies(e: &Ebuild) -> Vec<Context> {
    let (run, build) = (&e.depends.run.nodes, &e.depends.build.nodes);
    let mut out: Vec<(&str, String)> = Vec::new();
    let plain = |nodes: &[Node<Dep>]| value(None, nodes);
    let is_both = !run.is_empty() && !build.is_empty();
    if let Some(rest) = subtract(build, run).filter(|_| is_both) {
        out.push(("RDEPEND", plain(run)));
        out.push(("DEPEND", value(Some("RDEPEND"), &rest)));
    } else if let Some(rest) = subtract(run, build).filter(|_| is_both) {
        out.push(("DEPEND", plain(build)));
        out.push(("RDEPEND", value(Some("DEPEND"), &rest)));
    } else {
        let (common, run): (Vec<_>, Vec<_>) = run.iter().cloned().partition(|n| build.contains(n));
        let build: Vec<_> = build
            .iter()
            .filter(|n| !common.contains(n))
            .cloned()
            .collect();
        let reference = (!common.is_empty()).then_some("COMMON_DEPEND");
        out.push(("COMMON_DEPEND", plain(&common)));
        out.push(("RDEPEND", value(reference, &run)));
        out.push(("DEPEND", value(reference, &build)));
    }
    out.push(("BDEPEND", plain(&e.depends.tool.nodes)));
    out.push(("IDEPEND", plain(&e.depends.install.nodes)));
    out.push(("PDEPEND", plain(&e.depends.post.nodes)));
    let text = |name: &str, value: &str| {
        let notes = e
            .depends
            .notes
            .iter()
            .filter(|(variable, _)| *variable == name);
        let notes = notes.fold(String::new(), |all, (_, note)| all + &comment(note));
        ready(format!("{notes}{name}=\"{value}\"\n"))
    };
    out.iter()
        .filter(|(_, v)| !v.is_empty())
        .map(|(n, v)| text(n, v))
        .collect()
}

/// Returns the nodes `all` without the nodes `part`; `None` if `all` lacks a node of `part`. Groups
/// with the same condition are compared by their contents: `a? ( x/y x/z )` without `a? ( x/y )` is
/// `a? ( x/z )`.
fn subtract(all: &[Node<Dep>], part: &[Node<Dep>]) -> Option<Vec<Node<Dep>>> {
    let mut left = all.to_vec();
    for node in part {
        if let Some(at) = left.iter().position(|n| n == node) {
            left.remove(at);
            continue;
        }
        let Node::If { flag, on, nodes } = node else {
            return None;
        };
        let same =
            |n: &Node<Dep>| matches!(n, Node::If { flag: f, on: o, .. } if f == flag && o == on);
        let at = left.iter().position(same)?;
        let rest = subtract(left[at].children(), nodes)?;
        left[at] = Node::If {
            flag: flag.clone(),
            on: *on,
            nodes: rest,
        };
    }
    Some(left)
}

/// Prints the text of a dependency variable between its quotes: a reference to the variable
/// `reference`, if there is one, then `nodes`.
fn value(reference: Option<&str>, nodes: &[Node<Dep>]) -> String {
    let head = reference.map(|r| format!("${{{r}}}"));
    match (head, nodes) {
        (None, []) => String::new(),
        (Some(head), []) => head,
        (None, [Node::Leaf(leaf @ (Dep::Atom(..) | Dep::Open(_) | Dep::Expansion(_)))]) => {
            leaf.to_string()
        }
        (head, nodes) => {
            let head = head.map(|h| format!("\t{h}\n")).unwrap_or_default();
            let mut out = format!("\n{head}");
            lay_out(&mut out, nodes, 1);
            out
        }
    }
}

/// The greatest width of a call such as `$(llvm_gen_dep "…")` on one line, in columns, with tabs of
/// four.
const WIDTH: usize = 80;

/// The greatest width of a dependency that is printed on one line with its conditions, such as `a?
/// ( b? ( x/y ) )`, in columns. It is greater than [`WIDTH`], as the wrapped form would take three
/// lines or more.
const CHAIN: usize = 100;

/// Prints nodes in the layout of `rocpkg_pms`, indented by `depth` tabs. Calls of generating
/// functions, such as `llvm_gen_dep`, may take several lines.
fn lay_out(out: &mut String, nodes: &[Node<Dep>], depth: usize) {
    let tabs = "\t".repeat(depth);
    for node in nodes {
        let line = node.to_string();
        let columns = depth * 4 + line.chars().count();
        match node {
            Node::Leaf(Dep::Call(call)) if call.depends.nodes.len() > 1 || columns > WIDTH => {
                out.push_str(&format!("{tabs}$({} \"\n", call.function));
                for node in &call.depends.nodes {
                    let text = node.to_string().replace("${", "\\${");
                    out.push_str(&format!("{tabs}\t{text}\n"));
                }
                out.push_str(&format!("{tabs}\"{})\n", call.rest()));
            }
            Node::Leaf(_) => out.push_str(&format!("{tabs}{line}\n")),
            group if columns <= CHAIN && is_chain(group) => {
                out.push_str(&format!("{tabs}{line}\n"));
            }
            group => {
                let opener = line.split('(').next().unwrap_or_default();
                out.push_str(&format!("{tabs}{opener}(\n"));
                lay_out(out, group.children(), depth + 1);
                out.push_str(&format!("{tabs})\n"));
            }
        }
    }
}

/// Returns two texts for a package with a target list of its own. The first has the lists of GPU
/// targets and `IUSE_TARGETS`, the second the words that refer to them in `IUSE`. Both are empty if
/// the package's lists are empty.
fn own_targets(own: &OwnTargets) -> (String, String) {
    let prefix = &own.prefix;
    let lists = [(SUPPORTED_TARGETS, &own.on), (OFFERED_TARGETS, &own.off)];
    let lists: Vec<(&str, String)> = lists
        .into_iter()
        .map(|(name, targets)| (name, targets_array(name, targets)))
        .filter(|(_, array)| !array.is_empty())
        .collect();
    let flags = match lists.as_slice() {
        [] => return Default::default(),
        [(SUPPORTED_TARGETS, _)] => "${IUSE_TARGETS[*]/#/+}".to_owned(),
        [_] => "${IUSE_TARGETS[*]}".to_owned(),
        _ => {
            format!("${{{SUPPORTED_TARGETS}[*]/#/+{prefix}}} ${{{OFFERED_TARGETS}[*]/#/{prefix}}}")
        }
    };
    let all: Vec<String> = lists
        .iter()
        .map(|(name, _)| format!("\"${{{name}[@]/#/{prefix}}}\""))
        .collect();
    let why = if own.known {
        "# The GPU targets that upstream has kernels for"
    } else {
        "# GPU targets; which of them upstream has kernels for at this release is not known"
    };
    let mut lines = vec![why.to_owned()];
    lines.extend(lists.into_iter().map(|(_, array)| array));
    lines.push(format!("IUSE_TARGETS=( {} )", all.join(" ")));
    (lines.join("\n"), flags)
}

/// Prints the array `name` with some elements, on several lines if one line would be too long for
/// pkgcheck. Returns an empty text if there are no elements.
fn targets_array(name: &str, elements: &[String]) -> String {
    let elements: Vec<String> = elements
        .iter()
        .map(|e| Word::lit(e.as_str()).print(Quoting::Whole))
        .collect();
    let line = format!("{name}=( {} )", elements.join(" "));
    if elements.is_empty() {
        return String::new();
    }
    if line.len() <= LONGEST_LINE {
        return line;
    }
    let rows: Vec<String> = elements
        .chunks(8)
        .map(|row| format!("\t{}\n", row.join(" ")))
        .collect();
    format!("{name}=(\n{})", rows.concat())
}

/// Returns true for a leaf, and for nested groups that each have one child, down to a leaf: `a? (
/// b? ( x/y ) )`.
fn is_chain(node: &Node<Dep>) -> bool {
    match (node, node.children()) {
        (Node::Leaf(Dep::Call(call)), _) => call.depends.nodes.len() == 1,
        (Node::Leaf(_), _) => true,
        (_, [child]) => is_chain(child),
        _ => false,
    }
}
