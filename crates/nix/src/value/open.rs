//! Finds three things in Nix text: the names that it uses and does not bind, the files that it
//! names, and constructs that hide names, such as `with`.

use indexmap::IndexSet;
use rnix::ast::{Attr, Attrpath, Entry, Expr, InterpolPart, Str};
use rnix::{SyntaxKind, SyntaxNode};
use rocpkg_model::{Finding, NixText};
use rocpkg_syntax::Fault;
use rowan::ast::AstNode;

/// Names that Nix binds in every expression, in addition to the functions in
/// [`crate::lower::names::GLOBALS`].
const CONSTANTS: [&str; 5] = ["builtins", "false", "import", "null", "true"];

/// A use of a name that the text itself does not bind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) name: String,
    /// The name with the attributes that are selected from it: `lib.licenses.mit` for the name
    /// `lib`.
    pub(crate) dotted: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The results of a walk through a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) uses: Vec<Use>,
    /// Names that are used behind `with`, and that only the set of the `with` may bind. They are
    /// collected only if `follows_with` is set.
    pub(crate) under_with: Vec<Use>,
    /// Set if the walk also visits the expression behind a `with`: `b` in `with a; b`.
    follows_with: bool,
    /// The number of `with` around the node that the walk visits.
    withs: usize,
    /// Files beside the expression that the text names, such as `a.patch` for `./a.patch`, with the
    /// start and the end of the path.
    pub(crate) files: Vec<(String, usize, usize)>,
    pub(crate) faults: Vec<Fault>,
    shift: usize,
    bound: Vec<String>,
}

/// Collects the results of a walk through `node` in `found`. `shift` is the offset of the model's
/// text in the parsed text, which may have a brace before it. All places are relative to the
/// model's text.
pub(crate) fn walk(node: &SyntaxNode, shift: usize, found: &mut Found) {
    found.shift = shift;
    found.visit(node);
}

/// Returns the name of an attribute, or `None` if the name is computed: `${x}`. A string without
/// interpolations is no computed name, `${"x"}` included.
pub(crate) fn attribute(attr: &Attr) -> Option<String> {
    let text = |s: &Str| match s.normalized_parts().as_slice() {
        [] => Some(String::new()),
        [InterpolPart::Literal(t)] => Some(t.clone()),
        _ => None,
    };
    match attr {
        Attr::Ident(i) => Some(i.syntax().text().to_string()),
        Attr::Str(s) => text(s),
        Attr::Dynamic(dynamic) => match dynamic.expr()? {
            Expr::Str(s) => text(&s),
            _ => None,
        },
    }
}

/// Returns the file that a path names, relative to the expression: `./name.nix` -> `name.nix`.
/// Returns `None` if the path is not below the expression's folder.
pub(crate) fn beside(node: &SyntaxNode) -> Option<String> {
    let text = node.text().to_string();
    let file = text.strip_prefix("./")?;
    is_below(file).then(|| file.to_owned())
}

/// Returns true if a relative path has no `..` and no special characters, so that it stays below
/// its folder.
pub(crate) fn is_below(file: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
    let part = |p: &str| !p.is_empty() && p != "." && p != ".." && p.chars().all(plain);
    file.split('/').all(part)
}

/// Returns the finding about a fault of `text`, a Nix text of the model, with its place in the
/// profiles.
pub(crate) fn finding(fault: &Fault, text: &NixText) -> Finding {
    let at = fault.finding.span.unwrap_or_default();
    Finding {
        span: Some(text.place(at.start as usize, at.end as usize)),
        ..fault.finding.clone()
    }
}

impl Found {
    /// Returns the initial state of a walk that also visits the expressions behind `with`.
    pub(crate) fn following_with() -> Self {
        Self {
            follows_with: true,
            ..Self::default()
        }
    }

    /// Returns the used names in the order of their first use.
    pub(crate) fn names(&self) -> IndexSet<String> {
        self.uses.iter().map(|used| used.name.clone()).collect()
    }

    fn range(&self, node: &SyntaxNode) -> (usize, usize) {
        let range = node.text_range();
        let of = |at: rnix::TextSize| usize::from(at).saturating_sub(self.shift);
        (of(range.start()), of(range.end()))
    }

    /// Adds the fault that the text may not contain `node`.
    pub(crate) fn refuse(&mut self, node: &SyntaxNode, message: &str, label: &str) {
        let (start, end) = self.range(node);
        let fault = Fault::new("E0511", start..end, message).label(label);
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    fn children(&mut self, node: &SyntaxNode) {
        for child in node.children() {
            self.visit(&child);
        }
    }

    fn visit(&mut self, node: &SyntaxNode) {
        use SyntaxKind as K;
        match node.kind() {
            K::NODE_IDENT => self.name(node, &node.text().to_string()),
            K::NODE_SELECT => self.select(node),
            K::NODE_LAMBDA => self.lambda(node),
            K::NODE_LET_IN | K::NODE_LEGACY_LET => self.scope(node, bound_names(node)),
            K::NODE_ATTR_SET => {
                let recursive = node
                    .children_with_tokens()
                    .any(|c| c.kind() == K::TOKEN_REC);
                let names = if recursive {
                    bound_names(node)
                } else {
                    Vec::new()
                };
                self.scope(node, names);
            }
            // The names of parameters are not uses.
            K::NODE_IDENT_PARAM | K::NODE_PAT_BIND => {}
            K::NODE_PAT_ENTRY => node
                .children()
                .skip(1)
                .for_each(|default| self.visit(&default)),
            K::NODE_ATTRPATH => self.computed(node),
            K::NODE_WITH => {
                let label = "expected each name with its set, as in `lib.licenses.mit`";
                self.refuse(node, "`with` hides where names come from", label);
                // Only Nix can compute the names that a `with` binds. The backend prints `with` for
                // licences.
                node.children().take(1).for_each(|scope| self.visit(&scope));
                if self.follows_with {
                    self.withs += 1;
                    node.children().skip(1).for_each(|body| self.visit(&body));
                    self.withs -= 1;
                }
            }
            K::NODE_PATH_REL => match beside(node) {
                Some(file) => {
                    let (start, end) = self.range(node);
                    self.files.push((file, start, end));
                }
                None => self.path(node),
            },
            K::NODE_PATH_ABS | K::NODE_PATH_HOME | K::NODE_PATH_SEARCH => self.path(node),
            K::NODE_LITERAL => {
                if node
                    .children_with_tokens()
                    .any(|c| c.kind() == K::TOKEN_URI)
                {
                    self.refuse(
                        node,
                        "the address has no quotes",
                        "expected a string in quotes",
                    );
                }
            }
            _ => self.children(node),
        }
    }

    fn path(&mut self, node: &SyntaxNode) {
        let message = format!(
            "the path `{}` leads out of the folder of the expression",
            node.text()
        );
        self.refuse(
            node,
            &message,
            "expected a file beside the expression, such as `./name.nix`",
        );
        self.children(node);
    }

    /// Visits the expressions inside computed names of a path of attributes: `x` in `a.${x}`.
    fn computed(&mut self, path: &SyntaxNode) {
        for attr in path.children() {
            if attr.kind() != SyntaxKind::NODE_IDENT {
                self.children(&attr);
            }
        }
    }

    fn name(&mut self, node: &SyntaxNode, dotted: &str) {
        let name = dotted.split('.').next().unwrap_or_default().to_owned();
        if !self.bound.contains(&name) && !CONSTANTS.contains(&name.as_str()) {
            let (start, end) = self.range(node);
            let dotted = dotted.to_owned();
            let list = match self.withs {
                0 => &mut self.uses,
                _ => &mut self.under_with,
            };
            list.push(Use {
                name,
                dotted,
                start,
                end,
            });
        }
    }

    fn select(&mut self, node: &SyntaxNode) {
        let mut parts = node.children();
        let (Some(base), Some(path)) = (parts.next(), parts.next()) else {
            return;
        };
        let text = base.text().to_string();
        if base.kind() == SyntaxKind::NODE_IDENT {
            let attrs = Attrpath::cast(path.clone())
                .into_iter()
                .flat_map(|p| p.attrs().collect::<Vec<_>>());
            let names: Vec<String> = attrs.map_while(|a| attribute(&a)).collect();
            let dotted = std::iter::once(text)
                .chain(names)
                .collect::<Vec<_>>()
                .join(".");
            self.name(&base, &dotted);
        } else {
            self.visit(&base);
        }
        self.computed(&path);
        for default in parts {
            self.visit(&default);
        }
    }

    fn lambda(&mut self, node: &SyntaxNode) {
        use SyntaxKind as K;
        let depth = self.bound.len();
        let parameter = node.children().next();
        let inside = parameter.iter().flat_map(SyntaxNode::children);
        let binds = |n: &SyntaxNode| {
            matches!(
                n.kind(),
                K::NODE_IDENT_PARAM | K::NODE_PAT_ENTRY | K::NODE_PAT_BIND
            )
        };
        let names = parameter
            .iter()
            .cloned()
            .chain(inside)
            .filter(binds)
            .filter_map(|n| n.children().next());
        self.bound.extend(names.map(|name| name.text().to_string()));
        self.children(node);
        self.bound.truncate(depth);
    }

    /// Visits the bindings of a set or a `let`, and the body of the `let`. `names` are bound inside
    /// them.
    fn scope(&mut self, node: &SyntaxNode, names: Vec<String>) {
        let outer = self.bound.len();
        self.bound.extend(names);
        for child in node.children() {
            match Entry::cast(child.clone()) {
                Some(Entry::AttrpathValue(_)) => self.children(&child),
                Some(Entry::Inherit(i)) => {
                    if let Some(from) = i.from().and_then(|f| f.expr()) {
                        self.visit(from.syntax());
                        continue;
                    }
                    // A name that a set inherits is looked up outside the set.
                    let inner = self.bound.split_off(outer);
                    for (a, name) in i.attrs().filter_map(|a| Some((a.clone(), attribute(&a)?))) {
                        self.name(a.syntax(), &name);
                    }
                    self.bound.extend(inner);
                }
                None => self.visit(&child),
            }
        }
        self.bound.truncate(outer);
    }
}

/// Returns the names that the bindings of a `let` or of a recursive set bind.
fn bound_names(node: &SyntaxNode) -> Vec<String> {
    let mut out = Vec::new();
    for entry in node.children().filter_map(Entry::cast) {
        match entry {
            Entry::AttrpathValue(e) => {
                out.extend(
                    e.attrpath()
                        .and_then(|p| p.attrs().next())
                        .and_then(|a| attribute(&a)),
                );
            }
            Entry::Inherit(i) => out.extend(i.attrs().filter_map(|a| attribute(&a))),
        }
    }
    out
}
