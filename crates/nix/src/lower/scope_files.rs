//! The files that the scope itself reads, such as `llvm/default.nix`, and the packages that can't
//! be built without them.

use crate::lower::{Lowered, NixFile};
use crate::value::accept::format;
use crate::value::expr::{NixExpr, Pattern};
use crate::value::open::{Found, attribute, walk};
use rnix::ast::{Entry, Expr, HasEntry, Inherit};
use rnix::{Root, SyntaxKind, SyntaxNode};
use rocpkg_resolve::{Plan, Planned};
use rocpkg_shell::ScopeFile;
use rowan::ast::AstNode;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
struct Attribute {
    /// The attributes of the scope that it refers to as `self.NAME`, with all that is selected from
    /// them: `llvm.clang`.
    uses: BTreeSet<String>,
    /// The files and folders that it reads: `llvm`.
    files: BTreeSet<String>,
    /// Set if `self.callPackage` passes attributes of the scope to the function in the file.
    is_called: bool,
    /// The arguments that the call itself states.
    stated: BTreeSet<String>,
}

impl Attribute {
    /// Returns the attributes that it refers to, without what is selected from them.
    fn used(&self) -> impl Iterator<Item = &str> {
        self.uses.iter().filter_map(|path| path.split('.').next())
    }

    fn reads(&self, file: &str) -> bool {
        let folder = file.strip_suffix("/default.nix");
        let mut files = self.files.iter();
        files.any(|own| own == file || Some(own.as_str()) == folder)
    }
}

/// Returns the files that the scope reads, each with the packages that can't be built without it.
/// `scope` is the expression of the scope, and `all` are the packages with their expressions. The
/// file of the update script is left out: no build reads it.
pub(crate) fn scope_files<'p>(
    plan: &Plan,
    scope: &NixFile,
    all: impl IntoIterator<Item = (&'p Planned, &'p Lowered)>,
) -> Vec<ScopeFile> {
    let Some(stated) = &plan.distro.scope else {
        return Vec::new();
    };
    let mut attributes = format(&scope.expr).map_or_else(|_| BTreeMap::new(), |t| attributes(&t));
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    let names: BTreeSet<String> = attributes.keys().cloned().collect();
    for (p, lowered) in all {
        for file in &lowered.files {
            let NixExpr::Lambda(Pattern::Set(arguments), _) = &file.expr else {
                continue;
            };
            for (name, own) in attributes
                .iter_mut()
                .filter(|(_, own)| own.reads(&file.path))
            {
                owners.insert(name.clone(), &p.id);
                let passed = arguments.iter().map(|argument| &argument.name);
                let passed = passed.filter(|name| own.is_called && names.contains(*name));
                let stated = std::mem::take(&mut own.stated);
                own.uses
                    .extend(passed.filter(|name| !stated.contains(*name)).cloned());
            }
        }
    }
    let script = stated
        .update_script
        .as_ref()
        .map(|name| name.value.as_str());
    let file = |path: &String| {
        let direct = attributes.iter().filter(|(name, own)| {
            own.reads(path) && Some(name.as_str()) != script && !owners.contains_key(*name)
        });
        let direct: BTreeSet<&str> = direct.map(|(name, _)| name.as_str()).collect();
        let mut met = direct.clone();
        loop {
            let more = attributes.iter().filter(|(name, own)| {
                !met.contains(name.as_str()) && own.used().any(|used| met.contains(used))
            });
            let more: Vec<&str> = more.map(|(name, _)| name.as_str()).collect();
            if more.is_empty() {
                break;
            }
            met.extend(more);
        }
        // The compiler's environment is all of the file that most builds wait for.
        let mut paths = attributes
            .get("stdenv")
            .into_iter()
            .flat_map(|own| &own.uses);
        let is_inside =
            |path: &&String| direct.contains(path.split('.').next().unwrap_or_default());
        ScopeFile {
            path: path.clone(),
            built: paths.find(is_inside).cloned(),
            attributes: direct.iter().map(|name| (*name).to_owned()).collect(),
            users: met
                .iter()
                .filter_map(|name| owners.get(*name))
                .map(|id| (*id).to_owned())
                .collect(),
        }
    };
    let all = stated.files.iter().map(|path| file(&path.value));
    all.filter(|file| !file.attributes.is_empty()).collect()
}

/// Returns the attributes of a scope, by name. `text` is its expression, which contains the
/// function `self: { … }`.
fn attributes(text: &str) -> BTreeMap<String, Attribute> {
    let mut out = BTreeMap::new();
    let root = Root::parse(text).syntax();
    let is_scope = |node: &SyntaxNode| {
        node.kind() == SyntaxKind::NODE_LAMBDA && node.text().to_string().starts_with("self:")
    };
    let Some(lambda) = root.descendants().find(is_scope) else {
        return out;
    };
    let is_inner = |set: &rnix::ast::AttrSet| {
        let above = set
            .syntax()
            .ancestors()
            .skip(1)
            .take_while(|node| *node != lambda);
        above
            .filter(|node| node.kind() == SyntaxKind::NODE_ATTR_SET)
            .count()
            > 0
    };
    let sets = lambda.descendants().filter_map(rnix::ast::AttrSet::cast);
    for entry in sets
        .filter(|set| !is_inner(set))
        .flat_map(|set| set.entries().collect::<Vec<_>>())
    {
        match entry {
            Entry::AttrpathValue(entry) => {
                let name = entry
                    .attrpath()
                    .and_then(|path| attribute(&path.attrs().next()?));
                if let (Some(name), Some(value)) = (name, entry.value()) {
                    out.insert(name, read(&value));
                }
            }
            Entry::Inherit(inherit) => {
                let from = inherit.from().and_then(|from| from.expr());
                for name in inherit.attrs().filter_map(|attr| attribute(&attr)) {
                    out.insert(name, from.as_ref().map(read).unwrap_or_default());
                }
            }
        }
    }
    out
}

fn read(value: &Expr) -> Attribute {
    let node = value.syntax();
    let mut found = Found::default();
    walk(node, 0, &mut found);
    let dotted = found
        .uses
        .iter()
        .filter_map(|used| used.dotted.strip_prefix("self."));
    let mut out = Attribute {
        uses: dotted.map(str::to_owned).collect(),
        files: found.files.into_iter().map(|(file, ..)| file).collect(),
        is_called: node.text().to_string().starts_with("self.callPackage"),
        ..Attribute::default()
    };
    for inherit in node.descendants().filter_map(Inherit::cast) {
        let from = inherit.from().map(|from| from.syntax().text().to_string());
        if from.as_deref() == Some("(self)") {
            out.uses
                .extend(inherit.attrs().filter_map(|attr| attribute(&attr)));
        }
        out.stated
            .extend(inherit.attrs().filter_map(|attr| attribute(&attr)));
    }
    let entries = node
        .descendants()
        .filter_map(rnix::ast::AttrpathValue::cast);
    let names = entries.filter_map(|entry| attribute(&entry.attrpath()?.attrs().next()?));
    out.stated.extend(names);
    out
}
