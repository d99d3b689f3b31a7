//! The todos of a run, as text and as JSON.

use rocpkg::Backend;
use rocpkg::checkout::{RecipeReport, Todo, TodoKind, UnmadeChange};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The number of columns of a list of names, and of a line that is cut.
const COLUMNS: usize = 100;

/// The number of recipes up to which each recipe has lines of its own.
const FEW: usize = 10;

/// The number of missing files up to which each file is named.
const MOST_FILES: usize = 30;

type Of<'r> = (&'r RecipeReport, &'r Todo);

/// Returns the todos that block as text, without those of recipes that were not touched. With
/// `verbose`, each todo has its place. Otherwise todos with the same text are one line with the
/// names of their recipes, and files and checksums of many recipes are summed up.
pub(crate) fn left(recipes: &[RecipeReport], verbose: bool) -> String {
    let all = all(recipes, true);
    let Some((first, _)) = all.first() else {
        return String::new();
    };
    let lacks_sums = all.iter().any(|(_, todo)| todo.kind == TodoKind::Sum);
    let head = if lacks_sums {
        format!("left to you (for checksums: {}):\n", fetch(first.backend))
    } else {
        "left to you:\n".to_owned()
    };
    if verbose {
        return head + &all.iter().map(|(_, todo)| lines(todo)).collect::<String>();
    }
    let (mut out, mut rest) = same(&all);
    for kind in [TodoKind::File, TodoKind::Sum] {
        let of_kind = |(_, todo): &Of| todo.kind == kind && todo.subject.is_some();
        let (many, others): (Vec<Of>, Vec<Of>) = rest.iter().copied().partition(of_kind);
        if many.len() > FEW {
            out += &summed_up(kind, &many);
            rest = others;
        }
    }
    out.extend(rest.iter().map(|(_, todo)| lines(todo)));
    head + &out
}

/// Returns the advice on how to add missing checksums of archives.
pub(crate) fn fetch(backend: Backend) -> &'static str {
    match backend {
        Backend::Gentoo => "`ebuild FILE manifest` fetches the archives and records them",
        Backend::Arch => {
            "`updpkgsums` in the package's folder fetches the archives and records them"
        }
        Backend::Nix => "a build prints the right hash",
        Backend::Solus => "add them to releases/ in a folder of --profiles",
    }
}

/// Returns the todos that don't block as text, as [`left`] does. Without `verbose`, a recipe has
/// one line, or if there are many recipes, its number of todos.
pub(crate) fn to_review(recipes: &[RecipeReport], verbose: bool) -> String {
    let all = all(recipes, false);
    if all.is_empty() {
        return String::new();
    }
    if verbose {
        let lines: String = all.iter().map(|(_, todo)| lines(todo)).collect();
        return format!("to review:\n{lines}");
    }
    let (same, rest) = same(&all);
    let mut rows: Vec<(&RecipeReport, Vec<&Todo>)> = Vec::new();
    for (report, todo) in rest {
        match rows.last_mut() {
            Some((last, todos)) if std::ptr::eq(*last, report) => todos.push(todo),
            _ => rows.push((report, vec![todo])),
        }
    }
    let rest = if rows.len() > FEW {
        let count = |(report, todos): &(&RecipeReport, Vec<&Todo>)| {
            format!("{} ({})", report.name, todos.len())
        };
        let counts: Vec<String> = rows.iter().map(count).collect();
        filled("  ", counts.join(", ").split(' '))
    } else {
        rows.iter()
            .map(|(report, todos)| row(report, todos))
            .collect()
    };
    let text = same + &rest;
    match text.trim_start() {
        line if line.lines().count() == 1 => format!("to review (-v lists all): {line}"),
        _ => format!("to review (-v lists all):\n{text}"),
    }
}

/// Returns the todos about versions of LLVM that don't block as text, as [`to_review`] does.
pub(crate) fn compilers(recipes: &[RecipeReport], verbose: bool) -> String {
    let mut recipes = recipes.to_vec();
    for report in &mut recipes {
        report.todos.retain(|todo| todo.kind == TodoKind::Compiler);
    }
    to_review(&recipes, verbose)
}

/// Returns the todos of a recipe that don't block as one line.
fn row(report: &RecipeReport, todos: &[&Todo]) -> String {
    let kinds = todos.chunk_by(|a, b| a.kind == b.kind).map(|of| {
        let texts: Vec<&str> = of.iter().map(|todo| todo.text.as_str()).collect();
        format!("{}: {}", of[0].kind.heading(), texts.join(", "))
    });
    let text = format!("{}: {}", report.name, kinds.collect::<Vec<_>>().join("; "));
    format!("  {}\n", cut(&text, COLUMNS))
}

/// Returns the todos that block, or those that don't, by recipe and then in their order. Recipes
/// that were not touched are left out.
fn all(recipes: &[RecipeReport], blocks: bool) -> Vec<Of<'_>> {
    let touched = recipes.iter().filter(|report| !report.is_untouched());
    let mut all: Vec<Of> = touched
        .flat_map(|report| report.todos.iter().map(move |todo| (report, todo)))
        .filter(|(_, todo)| todo.blocks == blocks)
        .collect();
    if !blocks {
        // Todos of a kind are one part of a line. The line may be cut, and the most frequent kind
        // is the last.
        let mut at = 0;
        for of in all.clone().chunk_by(|(a, _), (b, _)| std::ptr::eq(*a, *b)) {
            all[at..at + of.len()].sort_by_key(|(_, todo)| Reverse(todo.kind));
            at += of.len();
        }
    }
    all
}

/// Returns the todos with the same text in several recipes as text, each text with the names of the
/// recipes, and the other todos.
fn same<'r>(all: &[Of<'r>]) -> (String, Vec<Of<'r>>) {
    let (mut out, mut rest) = (String::new(), Vec::new());
    let mut done: BTreeSet<(TodoKind, &str)> = BTreeSet::new();
    for (report, todo) in all {
        // Files of the same name in several packages are different files.
        let is_own = todo.change.is_some() || todo.kind == TodoKind::Untried;
        let is_same =
            |(_, other): &&Of| !is_own && other.kind == todo.kind && other.text == todo.text;
        let names: Vec<&str> = all
            .iter()
            .filter(is_same)
            .map(|(report, _)| report.name.as_str())
            .collect();
        if is_own || names.iter().all(|name| *name == report.name) {
            rest.push((*report, *todo));
        } else if done.insert((todo.kind, &todo.text)) {
            let names = names.join(", ");
            out += &format!("{}: ", filled("  ", names.split(' ')).trim_end());
            out += &format!("{}{}\n", prefix(todo), todo.text);
        }
    }
    (out, rest)
}

/// Returns the files or the checksums of many todos as text: all files, unless there are more than
/// [`MOST_FILES`] in several recipes. Then each recipe has its number of files.
fn summed_up(kind: TodoKind, all: &[Of]) -> String {
    let of_recipes = all.chunk_by(|(a, _), (b, _)| std::ptr::eq(*a, *b));
    let is_one = of_recipes.clone().count() == 1;
    let are_named = is_one || kind == TodoKind::File && all.len() <= MOST_FILES;
    let entry = |of: &[Of]| {
        let name = &of[0].0.name;
        let subjects = of.iter().filter_map(|(_, todo)| todo.subject.as_deref());
        let subjects: Vec<&str> = subjects.collect();
        match of.len() {
            _ if are_named => format!("{name}: {}", subjects.join(", ")),
            1 => name.clone(),
            count => format!("{name} ({count})"),
        }
    };
    let heading = if kind == TodoKind::File {
        "missing files"
    } else {
        "unknown checksums"
    };
    let count = all.len();
    if are_named {
        let rows = of_recipes.map(|of| filled("    ", entry(of).split(' ')));
        return format!("  {heading} ({count}):\n{}", rows.collect::<String>());
    }
    let entries: Vec<String> = of_recipes.map(entry).collect();
    let head = format!("  {heading} ({count}; -v lists them): ");
    filled(&head, entries.join(", ").split(' '))
}

/// Returns words as lines of at most [`COLUMNS`] columns, after a head that ends with a blank.
fn filled<'w>(head: &str, words: impl IntoIterator<Item = &'w str>) -> String {
    let indent = " ".repeat(2 + head.len() - head.trim_start().len());
    let (mut out, mut line) = (String::new(), head.to_owned());
    for word in words {
        if line.chars().count() + word.chars().count() > COLUMNS && !line.trim().is_empty() {
            out += &format!("{}\n", line.trim_end());
            line.clone_from(&indent);
        }
        line += &format!("{word} ");
    }
    format!("{out}{}\n", line.trim_end())
}

/// Returns the heading of a todo's kind, if its text is not a sentence of its own.
fn prefix(todo: &Todo) -> String {
    if todo.blocks {
        String::new()
    } else {
        format!("{}: ", todo.kind.heading())
    }
}

/// Returns a todo as text: its place and its text. A change of the model comes after them, on the
/// same line if there is room.
pub(crate) fn lines(todo: &Todo) -> String {
    let place = todo.place();
    let Some(change) = &todo.change else {
        return format!("  {place}: {}{}\n", prefix(todo), todo.text);
    };
    let UnmadeChange {
        item,
        before,
        after,
        existing,
        reason,
    } = change;
    let rows = [
        ("before", before),
        ("now", after),
        ("there", existing),
        ("why", reason),
    ];
    let rows = rows
        .iter()
        .filter_map(|(what, text)| Some(format!("{what}: {}", shortened(text.as_deref()?))));
    let rows: Vec<String> = rows.collect();
    let short = rows.join("; ");
    let rows = if short.chars().count() <= COLUMNS - 4 {
        format!("    {short}\n")
    } else {
        rows.iter().map(|row| format!("    {row}\n")).collect()
    };
    format!("  {place}: {}{}\n{rows}", prefix(todo), item.join(" "))
}

/// Returns a text on one line. A text of more than 160 characters is cut.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 160;
    cut(text, MOST)
}

/// Returns a text on one line. A text of more than `most` characters is cut.
fn cut(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{} ...", &line[..at]),
        None => line,
    }
}

/// Returns a number with a noun: `1 file`, `2 files`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

/// Returns the state of a recipe as text, with the number of items to review.
pub(crate) fn state(report: &RecipeReport) -> String {
    let is_item = |todo: &&Todo| !todo.blocks;
    let since = report.since.as_ref();
    let since = since.map_or(String::new(), |since| format!(", since {since}"));
    match report.state() {
        "lacking" => {
            let all = [(TodoKind::File, "file"), (TodoKind::Sum, "checksum")];
            let all = all.map(|(kind, noun)| (report.count(kind), noun));
            let all = all.iter().filter(|(count, _)| *count > 0);
            let all: Vec<String> = all.map(|(count, noun)| counted(*count, noun)).collect();
            format!("lacks {}", all.join(" and "))
        }
        "left" if is_only_uncommitted(report) => summary(report),
        "left" => format!(
            "left: {}{since}",
            counted(report.blocking().count(), "item")
        ),
        "done" => match report.todos.iter().filter(is_item).count() {
            0 => "done".to_owned(),
            items => format!("done, {} to review", counted(items, "item")),
        },
        "kept" => format!(
            "already at this release, and checked; it differs from the model in {}: `rocpkg compare` lists them",
            counted(report.differences, "item")
        ),
        _ => summary(report),
    }
}

/// Returns the state of a recipe as text without numbers.
fn summary(report: &RecipeReport) -> String {
    match report.state() {
        "untouched" => format!("not touched: {}", untouched(report)),
        "lacking" => "lacks files or checksums".to_owned(),
        "left" if is_only_uncommitted(report) => "edited, not committed".to_owned(),
        "left" => "left to you".to_owned(),
        "kept" => "already at this release, and checked; `rocpkg compare` lists the differences"
            .to_owned(),
        _ => "done".to_owned(),
    }
}

/// Returns true if all that blocks is that the recipe can't be committed.
fn is_only_uncommitted(report: &RecipeReport) -> bool {
    let kinds = [TodoKind::Waits, TodoKind::Uncommitted];
    report.blocking().all(|todo| kinds.contains(&todo.kind))
}

/// Returns the recipes, those that are done last.
pub(crate) fn sorted(recipes: &[RecipeReport]) -> Vec<&RecipeReport> {
    let is_open = |report: &&RecipeReport| !report.is_done() || report.is_untouched();
    let (mut all, done): (Vec<_>, Vec<_>) = recipes.iter().partition(is_open);
    all.extend(done);
    all
}

/// Returns the numbers of recipes that are done, that are at the release already, that have
/// something left, that can't be committed yet, and that were not touched.
pub(crate) fn headline(recipes: &[RecipeReport]) -> String {
    let count = |is_it: &dyn Fn(&RecipeReport) -> bool| {
        recipes.iter().filter(|report| is_it(report)).count()
    };
    // A recipe that was not asked for, or that is newer, does not count, nor do profiles.
    let is_counted = |report: &RecipeReport| {
        !(report.package.is_empty() || report.is_done() && report.is_untouched())
    };
    let is_waiting = |report: &RecipeReport| {
        is_counted(report) && !report.is_done() && is_only_uncommitted(report)
    };
    let is_left =
        |report: &RecipeReport| is_counted(report) && !report.is_done() && !report.is_untouched();
    let (done, all) = (
        count(&|report| is_counted(report) && report.state() == "done"),
        count(&is_counted),
    );
    let is_kept_back = |report: &RecipeReport| is_counted(report) && report.is_untouched();
    let noun = if all == 1 { "recipe is" } else { "recipes are" };
    let parts = [
        (count(&|r| r.state() == "kept"), "at this release already"),
        (
            count(&|r| is_left(r) && !is_waiting(r)),
            "with something left",
        ),
        (count(&is_waiting), "can't be committed yet"),
        (count(&is_kept_back), "not touched"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: String = parts
        .map(|(count, what)| format!(", {count} {what}"))
        .collect();
    format!("{done} of {all} {noun} done{parts}")
}

/// Returns the recipes that were not touched, with the reasons, if these block.
pub(crate) fn untouched_ones(recipes: &[RecipeReport]) -> String {
    let of = recipes.iter().filter(|r| r.is_untouched() && !r.is_done());
    rows(&of.collect::<Vec<_>>())
}

/// Returns one line for each recipe with its state. Many recipes are listed by their states.
pub(crate) fn table(recipes: &[RecipeReport]) -> String {
    rows(&sorted(recipes))
}

fn rows(sorted: &[&RecipeReport]) -> String {
    if sorted.len() <= FEW {
        let width = sorted
            .iter()
            .map(|report| report.name.chars().count())
            .max();
        let width = width.unwrap_or_default();
        let line =
            |report: &&RecipeReport| format!("  {:width$}  {}\n", report.name, state(report));
        return sorted.iter().map(line).collect();
    }
    let mut rows: Vec<(String, Vec<&str>)> = Vec::new();
    for report in sorted {
        let state = summary(report);
        match rows.iter_mut().find(|(of, _)| *of == state) {
            Some((_, names)) => names.push(&report.name),
            None => rows.push((state, vec![&report.name])),
        }
    }
    let row = |(state, names): &(String, Vec<&str>)| {
        let head = format!("  {state} ({}): ", names.len());
        filled(&head, names.join(", ").split(' '))
    };
    rows.iter().map(row).collect()
}

/// Returns the recipes as JSON, by their keys: the state of each in one word, with numbers, and all
/// todos.
pub(crate) fn packages(recipes: &[RecipeReport]) -> Value {
    let each = recipes.iter().map(|report| {
        let state = report.state();
        let todos = report.todos.iter().map(todo).collect::<Vec<Value>>();
        let mut value = json!({"state": state, "recipe": report.recipe, "todos": todos});
        match state {
            "kept" => value["differences"] = json!(report.differences),
            "left" => value["rows"] = json!(report.blocking().count()),
            "lacking" => {
                value["files"] = json!(report.count(TodoKind::File));
                value["sums"] = json!(report.count(TodoKind::Sum));
            }
            "untouched" => value["reason"] = json!(untouched(report)),
            _ => {}
        }
        (report.key().to_owned(), value)
    });
    Value::Object(each.collect())
}

fn todo(todo: &Todo) -> Value {
    let place = todo
        .place
        .map(|place| format!("{}:{}", place.line, place.column));
    json!({
        "recipe": todo.recipe,
        "place": place,
        "kind": todo.kind.word(),
        "blocks": todo.blocks,
        "text": todo.text,
        "subject": todo.subject,
    })
}

/// Returns the reason why a recipe was not touched.
fn untouched(report: &RecipeReport) -> &str {
    let is_reason = |todo: &&Todo| {
        matches!(
            todo.kind,
            TodoKind::Untouched | TodoKind::Newer | TodoKind::Unasked
        )
    };
    let reason = report.todos.iter().find(is_reason);
    reason.map_or("", |todo| todo.text.as_str())
}
