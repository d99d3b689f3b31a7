//! Lowers steps to statements of bash, by the operations of `operation.rs`.

use crate::dialect::{Condition, Dialect, failing};
use crate::operation::{Arg, Call, Operation, Place, batches, operations};
use crate::sed;
use crate::targets;
use rocpkg_model::{Action, Each, Finding, Inside, Piece, Step, Text};
use rocpkg_render::bash::{Command, Item, Quoting, Scope, Stmt, Test, Word, read_shell};

/// Returns the statements for steps. Steps whose condition is known not to hold are left out.
pub fn lower<D: Dialect>(d: &mut D, steps: &[Step]) -> Vec<Stmt> {
    let mut out = Vec::new();
    let mut entered = false;
    for batch in batches(steps) {
        let step = &batch[0];
        if let (Action::Enter(folder), Some(begin)) = (&step.action, d.inputs().habits.begin) {
            entered = folder.pieces != [Piece::Reference(begin.into())];
        }
        if entered && matches!(step.action, Action::Standard(_)) {
            let finding =
                Finding::error("E0248", step.span, "the standard step can't follow `enter`");
            let label = "its paths are relative to the folder in which the phase begins";
            d.report(
                finding
                    .label(label)
                    .hint("move `enter` behind the standard step, or use `inside`"),
            );
        }
        let condition = step.when.as_ref().map(|w| d.condition(w));
        if condition == Some(Condition::Known(false)) {
            continue;
        }
        let standard = matches!(step.action, Action::Standard(_));
        let tested = matches!(condition, Some(Condition::Tested(_)));
        let block =
            standard || tested || matches!(step.action, Action::Inside(_) | Action::Each(_));
        let apart = d.inputs().habits.paragraphs;
        // Steps without comments are not separated. A comment opens a paragraph, and a block is a
        // paragraph by itself.
        if apart && (block || step.comment.is_some()) {
            out.push(Stmt::Blank);
        }
        out.extend(step.comment.clone().map(Stmt::Comment));
        let body = body(d, batch);
        match condition {
            Some(Condition::Tested(test)) => {
                let body = untested(body, &test);
                out.push(Stmt::If {
                    branches: vec![(test, body)],
                    otherwise: Vec::new(),
                });
            }
            _ => out.extend(body),
        }
        if apart && block {
            out.push(Stmt::Blank);
        }
    }
    out
}

/// Returns statements that are inside an `if` of the test `test`, without inner conditionals of the
/// same test: `if test; then a; fi` -> `a`.
fn untested(stmts: Vec<Stmt>, test: &Test) -> Vec<Stmt> {
    let known = |stmt| match stmt {
        Stmt::If {
            mut branches,
            otherwise,
        } if otherwise.is_empty() && branches.len() == 1 && branches[0].0 == *test => {
            branches.remove(0).1
        }
        other => vec![other],
    };
    stmts.into_iter().flat_map(known).collect()
}

/// Returns the finding about a raw step that bash would refuse or misread, or `None` if bash
/// accepts it. `text` is the step's text, and `word` the word that it was lowered to.
fn refused(text: &Text, word: &Word) -> Option<Finding> {
    let (text, span) = (text.to_string(), text.span);
    let printed = word.print_bare(Quoting::Short);
    let printed = printed.trim_matches('\n');
    let fault = read_shell(printed).fault?;
    let line = printed
        .get(..fault.at)
        .map_or(0, |before| before.matches('\n').count());
    let written = text
        .trim_matches('\n')
        .lines()
        .nth(line)
        .unwrap_or_default()
        .trim();
    let finding = Finding::error(
        "E0569",
        span,
        format!("bash would refuse this text: {}", fault.message),
    );
    Some(finding.label(format!("the fault is in line {}: `{written}`", line + 1)))
}

/// Returns the statements of a batch of steps, without the `if` of their condition.
fn body<D: Dialect>(d: &mut D, batch: &[Step]) -> Vec<Stmt> {
    let list = operations(batch, &|tool| d.tool(tool));
    let mut out = Vec::new();
    for operation in &list {
        let stmts = match operation {
            Operation::Raw(text) => {
                let word = d.raw(text);
                if let Some(finding) = refused(text, &word) {
                    d.report(finding);
                }
                let raw = Stmt::Raw(word);
                d.check(std::slice::from_ref(&raw), batch[0].span);
                out.push(raw);
                continue;
            }
            Operation::Call(c) => vec![written(d, c)],
            Operation::Export(name, value) => {
                vec![Stmt::assign(
                    Scope::Export,
                    *name,
                    d.word(value, Place::One),
                )]
            }
            Operation::Local(name, values) => local(d, name, values),
            Operation::Each(e) => each(d, e),
            Operation::Inside(i) => inside(d, i),
            Operation::Group(steps) => lower(d, steps),
            Operation::Replace(all) => match d.replace(all) {
                Some(own) => own,
                None => all.iter().flat_map(|r| sed::replace(d, r)).collect(),
            },
            Operation::Sed(s) => sed::sed(d, s),
            Operation::Native(native) => d.native(native).unwrap_or_else(|| {
                let finding = d.no_form(batch[0].span);
                d.report(finding);
                Vec::new()
            }),
        };
        let nested = matches!(
            operation,
            Operation::Each(_) | Operation::Inside(_) | Operation::Group(_)
        );
        if !nested {
            d.check(&stmts, batch[0].span);
        }
        out.extend(stmts);
    }
    out
}

fn written<D: Dialect>(d: &mut D, c: &Call<'_>) -> Stmt {
    let words = c.words.iter().map(|w| match w {
        Arg::Own(text) => Word::lit(*text),
        Arg::Text(text, place) => {
            targets::pass_word(d, text);
            d.word(text, *place)
        }
    });
    let mut command = Command::new(words.collect());
    for (name, value) in c.environment.into_iter().flatten() {
        command.env.push((name.clone(), d.word(value, Place::One)));
    }
    command.output = c.output.map(|t| d.word(t, Place::One));
    let mut command = d.laid_out(command);
    if c.may_fail {
        command.or = Some(vec![Word::lit("true")]);
        return Stmt::Command(command);
    }
    Stmt::Command(failing(d, command))
}

fn local<D: Dialect>(d: &mut D, name: &str, values: &[Text]) -> Vec<Stmt> {
    let (scope, name) = (d.own_variables(), name.to_owned());
    let [one] = values else {
        let items = values
            .iter()
            .map(|t| Item::from(d.word(t, Place::One)))
            .collect();
        return vec![Stmt::array(
            scope,
            name,
            items,
            values.len() > d.inputs().habits.short_array,
        )];
    };
    let word = d.word(one, Place::One);
    if scope != Scope::Local || !d.may_fail(&word) {
        return vec![Stmt::assign(scope, name, word)];
    }
    // `local` succeeds even if the command in its value fails (ShellCheck's SC2155).
    let declared = Command::new(vec![Word::lit("local"), Word::lit(name.clone())]);
    let assigned = Command {
        env: vec![(name, word)],
        ..Command::default()
    };
    vec![Stmt::Command(declared), Stmt::Command(failing(d, assigned))]
}

fn each<D: Dialect>(d: &mut D, e: &Each) -> Vec<Stmt> {
    d.check_loop(&e.variable);
    let name = e.variable.value.clone();
    let mut out = Vec::new();
    if d.inputs().habits.local_loops {
        out.push(Stmt::Command(Command::new(vec![
            Word::lit("local"),
            Word::lit(name.clone()),
        ])));
    }
    let items = e.items.iter().map(|t| d.word(t, Place::Files)).collect();
    out.push(Stmt::For {
        name,
        items,
        body: lower(d, &e.steps),
    });
    out
}

fn inside<D: Dialect>(d: &mut D, i: &Inside) -> Vec<Stmt> {
    let folder = d.word(&i.folder, Place::One);
    let silent = d.inputs().habits.silent_folders;
    let output = silent.then(|| Word::lit("/dev/null"));
    let turn = |d: &D, words| {
        Stmt::Command(failing(
            d,
            Command {
                output: output.clone(),
                ..Command::new(words)
            },
        ))
    };
    let mut out = vec![turn(d, vec![Word::lit("pushd"), folder])];
    d.check(&out, i.folder.span);
    out.extend(lower(d, &i.steps));
    out.push(turn(d, vec![Word::lit("popd")]));
    out
}
