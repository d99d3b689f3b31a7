//! What is left after a run, as text.

use rocpkg::checkout::{RecipeReport, Todo, TodoKind, UnmadeChange};
use serde_json::{Value, json};

/// Returns the todos of the kinds that block, by recipe, each with its place.
pub(crate) fn left(recipes: &[RecipeReport]) -> String {
    let mut out = String::new();
    for report in recipes.iter().filter(|report| !report.is_untouched()) {
        let todos: Vec<&Todo> = report.blocking().collect();
        if todos.is_empty() {
            continue;
        }
        let since = report.since.as_ref();
        let since = since
            .map(|since| format!(", since {since}"))
            .unwrap_or_default();
        out += &format!("left to you in {} ({}{since}):\n", report.name, todos.len());
        out += &todos.into_iter().map(lines).collect::<String>();
    }
    out
}

/// Returns the todos that don't block, a line for each recipe, or each with its place if `verbose`
/// is set. Recipes that were not touched have none.
pub(crate) fn to_review(recipes: &[RecipeReport], verbose: bool) -> String {
    let mut out = String::new();
    for report in recipes.iter().filter(|report| !report.is_untouched()) {
        let todos: Vec<&Todo> = report.todos.iter().filter(|todo| !todo.blocks).collect();
        if todos.is_empty() {
            continue;
        }
        if verbose {
            out += &format!("to review in {} ({}):\n", report.name, todos.len());
            out += &todos.into_iter().map(lines).collect::<String>();
            continue;
        }
        let mut kinds: Vec<(TodoKind, Vec<&str>)> = Vec::new();
        for todo in todos {
            match kinds.iter_mut().find(|(kind, _)| *kind == todo.kind) {
                Some((_, texts)) => texts.push(&todo.text),
                None => kinds.push((todo.kind, vec![&todo.text])),
            }
        }
        let kinds = kinds.into_iter();
        let kinds = kinds.map(|(kind, texts)| format!("{}: {}", kind.heading(), texts.join(", ")));
        let kinds: Vec<String> = kinds.collect();
        out += &format!(
            "to review in {}: {}\n",
            report.name,
            shortened(&kinds.join("; "))
        );
    }
    out
}

/// Returns a todo as text: its place and its text, and below them the change of the model.
pub(crate) fn lines(todo: &Todo) -> String {
    let Some(change) = &todo.change else {
        return format!(
            "  {}: {}: {}\n",
            todo.place(),
            todo.kind.heading(),
            todo.text
        );
    };
    let UnmadeChange {
        item,
        before,
        after,
        existing,
        reason,
    } = change;
    let mut out = format!("  {}: {}\n", todo.place(), item.join(" "));
    let rows = [
        ("before", before),
        ("now", after),
        ("there", existing),
        ("why", reason),
    ];
    for (what, text) in rows {
        if let Some(text) = text {
            out += &format!("    {what}: {}\n", shortened(text));
        }
    }
    out
}

/// Returns a text on one line. A text of more than 160 characters is cut.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 160;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{} ...", &line[..at]),
        None => line,
    }
}

/// Returns the state of a recipe as text, with the number of items to review.
pub(crate) fn state(report: &RecipeReport) -> String {
    let of = |count: usize, name: &str| match count {
        0 => None,
        1 => Some(format!("1 {name}")),
        _ => Some(format!("{count} {name}s")),
    };
    let reviewed = report.todos.iter().filter(|todo| !todo.blocks).count();
    let review = of(reviewed, "item").map(|items| format!(", {items} to review"));
    match report.state() {
        "untouched" => format!("not touched: {}", untouched(report)),
        "lacking" => {
            let all = [
                of(report.count(TodoKind::File), "file"),
                of(report.count(TodoKind::Sum), "checksum"),
            ];
            let all: Vec<String> = all.into_iter().flatten().collect();
            format!("lacks {}", all.join(" and "))
        }
        "left" => format!(
            "left: {}",
            of(report.blocking().count(), "row").unwrap_or_default()
        ),
        "kept" => format!(
            "already at this release, and checked; it differs from the model in {}: `rocpkg compare` lists them",
            of(report.differences, "item").unwrap_or_default()
        ),
        _ => format!("done{}", review.unwrap_or_default()),
    }
}

/// Returns the recipes, those that are done last.
pub(crate) fn sorted(recipes: &[RecipeReport]) -> Vec<&RecipeReport> {
    let is_open = |report: &&RecipeReport| !report.is_done() || report.is_untouched();
    let (mut all, done): (Vec<_>, Vec<_>) = recipes.iter().partition(is_open);
    all.extend(done);
    all
}

/// Returns the numbers of recipes that are done, that are at the release already, and that can't be
/// committed yet.
pub(crate) fn headline(recipes: &[RecipeReport]) -> String {
    let done = recipes
        .iter()
        .filter(|report| report.state() == "done")
        .count();
    let kept = recipes
        .iter()
        .filter(|report| report.state() == "kept")
        .count();
    let kept = match kept {
        0 => String::new(),
        _ => format!(", {kept} at this release already"),
    };
    let waits = |todo: &Todo| matches!(todo.kind, TodoKind::Waits | TodoKind::Uncommitted);
    let left = recipes.iter().filter(|report| report.blocking().any(waits));
    let left = match left.count() {
        0 => String::new(),
        left => format!(", {left} can't be committed yet"),
    };
    format!("{done} of {} recipes are done{kept}{left}", recipes.len())
}

/// Returns the numbers of recipes, and one line for each recipe with its state.
pub(crate) fn table(recipes: &[RecipeReport]) -> String {
    let width = recipes.iter().map(|report| report.name.len()).max();
    let width = width.unwrap_or_default();
    let lines = sorted(recipes).into_iter();
    let lines = lines.map(|report| format!("  {:width$}  {}\n", report.name, state(report)));
    format!("{}\n{}", headline(recipes), lines.collect::<String>())
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
