//! The function `python_check_deps`, which python-any-r1.eclass needs beside the dependencies.

use crate::value::dep::{Dep, Dependencies};
use crate::value::open::PYTHON_ANY;
use rocpkg_pms::Node;
use rocpkg_render::bash::{Stmt, Test, Word, run};

/// Returns the function `python_check_deps`, by which python-any-r1.eclass finds a Python that has
/// the modules. The function checks the atoms that `python_gen_any_dep` repeats. Returns `None` if
/// there are no such atoms.
pub(crate) fn check_deps(depends: &Dependencies) -> Option<(String, Vec<Stmt>)> {
    let mut body = checks(&depends.tool.nodes, "-b");
    body.extend(checks(&depends.build.nodes, "-d"));
    // The exit status is that of the last check, so earlier checks must return by themselves.
    let last = body.len().checked_sub(1)?;
    for stmt in &mut body[..last] {
        if let Stmt::Command(c) = stmt {
            c.or = Some(vec![Word::lit("return"), Word::lit("1")]);
        }
    }
    Some(("python_check_deps".to_owned(), body))
}

fn checks(nodes: &[Node<Dep>], root: &str) -> Vec<Stmt> {
    let mut out = Vec::new();
    for node in nodes {
        match node {
            Node::Leaf(Dep::Call(call)) if *call.function == *PYTHON_ANY => {
                let mut words = vec![Word::lit(root)];
                let atoms = call.depends.leaves().into_iter();
                words.extend(atoms.map(|dep| atom(&dep.to_string())));
                out.push(run("python_has_version", words));
            }
            Node::If { flag, on, nodes } => {
                let body = checks(nodes, root);
                if !body.is_empty() {
                    let test = Test::Command(vec![Word::lit("use"), Word::lit(flag.as_str())]);
                    let test = if *on { test } else { Test::Not(Box::new(test)) };
                    out.push(Stmt::when(test, body));
                }
            }
            _ => {}
        }
    }
    out
}

fn atom(text: &str) -> Word {
    let mut word = Word::default();
    for (i, part) in text.split("${PYTHON_USEDEP}").enumerate() {
        word = if i > 0 {
            word.variable("PYTHON_USEDEP")
        } else {
            word
        };
        word = word.literal(part);
    }
    word
}
