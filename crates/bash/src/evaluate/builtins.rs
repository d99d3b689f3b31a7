//! The commands of bash.

use super::value::{Part, Value, Variable};
use super::words::with_blanks;
use super::{End, Flow, Host, Run, Status};
use crate::read::read_at;

/// Commands whose effect on the output is not followed, and that set no variable.
const NOT_FOLLOWED: &[&str] = &[
    "alias", "bg", "bind", "caller", "compgen", "complete", "compopt", "dirs", "disown", "enable",
    "fc", "fg", "hash", "help", "history", "jobs", "kill", "pwd", "set", "shopt", "times", "trap",
    "type", "ulimit", "umask", "unalias", "wait",
];

/// Commands among [`NOT_FOLLOWED`] that succeed, whatever their arguments are.
const SUCCEED: &[&str] = &["set", "trap"];

impl<H: Host> Run<H> {
    /// Runs a command that is no function of the script.
    pub(super) fn builtin(&mut self, name: &str, arguments: &[Value]) -> Status {
        let first = arguments.first().and_then(Value::known);
        match name {
            ":" | "true" => Status::Success,
            "false" => Status::Failed,
            "test" => Status::of(self.single_bracket(arguments)),
            "[" => {
                let inner = arguments.split_last().map(|(_, inner)| inner);
                Status::of(self.single_bracket(inner.unwrap_or_default()))
            }
            "unset" => {
                for name in arguments.iter().filter_map(Value::known) {
                    self.variables.remove(&name);
                    if first.as_deref() == Some("-f") {
                        self.functions.remove(&name);
                    }
                }
                Status::Success
            }
            "export" | "readonly" => {
                for value in arguments {
                    let text = value.known().unwrap_or_default();
                    if let Some((name, value)) = text.split_once('=') {
                        self.set(name, Variable::Text(value.into()));
                    }
                }
                Status::Success
            }
            "shift" => {
                let count = first.and_then(|count| count.parse().ok()).unwrap_or(1);
                self.arguments.drain(..count.min(self.arguments.len()));
                Status::Success
            }
            "break" => self.turn(Flow::Break),
            "continue" => self.turn(Flow::Continue),
            "return" | "exit" => self.ends(name, arguments),
            "command" | "builtin" => match first {
                Some(first) if !first.starts_with('-') => self.builtin(&first, &arguments[1..]),
                _ => Status::Unknown,
            },
            "read" | "mapfile" | "readarray" | "getopts" | "let" => {
                for name in arguments.iter().filter_map(Value::known) {
                    let name: String = name.chars().take_while(|c| is_name(*c)).collect();
                    let reason = self.reason(&format!("`{name}` is read"));
                    self.set(&name, Variable::Open(reason));
                }
                Status::Unknown
            }
            "echo" if !self.is_recording() || self.output.is_some() => self.echo(arguments),
            "printf" if !self.is_recording() || self.output.is_some() => self.printf(arguments),
            "cd" | "pushd" | "popd" => self.enter(name, arguments),
            "eval" if arguments.iter().all(|value| value.reason().is_none()) => {
                let text = with_blanks(arguments).known().unwrap_or_default();
                match read_at(&text, None) {
                    Ok(stmts) => self.all(&stmts),
                    Err(_) => Status::Failed,
                }
            }
            "eval" | "source" | "." | "exec" | "suspend" | "logout" => {
                if self.is_recording() {
                    self.record(name, arguments);
                    self.folders = vec![None];
                }
                self.lose(&format!("only bash can run `{name}`"));
                Status::Unknown
            }
            name if self.is_recording() => self.recorded(name, arguments),
            name if NOT_FOLLOWED.contains(&name) => {
                let reason = self.reason(&format!("only bash can run `{name}`"));
                self.printed(&Value::open(&reason));
                self.passed.push(reason);
                let is_shopt = name == "shopt" && arguments.len() == 2;
                let is_set = is_shopt && matches!(first.as_deref(), Some("-s" | "-u"));
                if is_set || SUCCEED.contains(&name) {
                    Status::Success
                } else {
                    Status::Unknown
                }
            }
            name => H::command(self, name, arguments),
        }
    }

    fn turn(&mut self, flow: Flow) -> Status {
        self.flow = flow;
        Status::Success
    }

    fn ends(&mut self, name: &str, arguments: &[Value]) -> Status {
        let code = arguments.first().map(Value::known);
        let status = match code.as_ref().map(Option::as_deref) {
            None => self.last,
            Some(Some("0")) => Status::Success,
            Some(Some(_)) => Status::Failed,
            Some(None) => Status::Unknown,
        };
        if self.shells == 0 && (name == "exit" || self.locals.is_empty()) {
            self.ends.push(End {
                name: name.to_owned(),
                at: self.at,
                status,
                is_certain: self.is_certain && self.lost.is_none(),
            });
        }
        if name == "exit" && self.shells == 0 {
            self.refuse(name, "it ends the shell");
            return status;
        }
        self.last = status;
        self.flow = Flow::Return;
        status
    }

    fn echo(&mut self, arguments: &[Value]) -> Status {
        let is_option = |value: &&Value| {
            let text = value.known().unwrap_or_default();
            text.len() > 1
                && text.starts_with('-')
                && text[1..].bytes().all(|b| b"neE".contains(&b))
        };
        let options: Vec<&Value> = arguments.iter().take_while(is_option).collect();
        let has = |sign| {
            options
                .iter()
                .any(|o| o.known().unwrap_or_default().contains(sign))
        };
        let text = with_blanks(&arguments[options.len()..]);
        let has_escapes = |part: &Part| matches!(part, Part::Text(text) if text.contains('\\'));
        if has('e') && text.parts.iter().any(has_escapes) {
            let value = self.open("`echo -e` is not evaluated");
            self.printed(&value);
        } else {
            self.printed(&text);
            self.printed(&if has('n') { "" } else { "\n" }.into());
        }
        Status::Success
    }

    fn printf(&mut self, arguments: &[Value]) -> Status {
        let first = arguments.first().and_then(Value::known);
        if first.as_deref() == Some("-v") {
            let name = arguments.get(1).and_then(Value::known).unwrap_or_default();
            let value = self.formatted(&arguments[2.min(arguments.len())..]);
            let name: String = name.chars().take_while(|c| is_name(*c)).collect();
            self.set(&name, Variable::Text(value));
        } else {
            let value = self.formatted(arguments);
            self.printed(&value);
        }
        Status::Success
    }

    /// Returns the output of `printf`.
    fn formatted(&self, arguments: &[Value]) -> Value {
        let not_known = || self.open("`printf` is not evaluated");
        let Some(format) = arguments.first().and_then(Value::known) else {
            return not_known();
        };
        let format = format.replace("\\n", "\n").replace("\\t", "\t");
        let parts: Vec<&str> = format.split("%s").collect();
        if format.contains('\\') || parts.iter().any(|part| part.contains('%')) {
            return not_known();
        }
        let mut rest = arguments[1..].iter();
        let mut out = Value::default();
        loop {
            for (i, part) in parts.iter().enumerate() {
                if let Some(value) = (i > 0).then(|| rest.next()).flatten() {
                    out.append(value);
                }
                out.push(part);
            }
            if rest.len() == 0 || parts.len() == 1 {
                return out;
            }
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
