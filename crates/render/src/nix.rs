//! Strings and attribute names of Nix, with quotes and escapes.

/// A piece of a Nix string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NixPiece {
    /// Literal text.
    Literal(String),
    /// An expression between `${` and `}`, already printed.
    Antiquote(String),
}

/// Returns the pieces as one string between double quotes (Nix manual, "String literals"). In
/// literals, `"`, `\`, `${` and line breaks are escaped.
pub fn string(pieces: &[NixPiece]) -> String {
    let mut out = String::from("\"");
    for (i, piece) in pieces.iter().enumerate() {
        match piece {
            NixPiece::Antiquote(e) => {
                out.push_str("${");
                out.push_str(e);
                out.push('}');
            }
            NixPiece::Literal(t) => {
                // A literal that ends in `$` before `${` must not become `$${`, which is literal
                // text. Before a literal with `{`, it must not become `${`.
                let next = match pieces.get(i + 1) {
                    Some(NixPiece::Antiquote(_)) => Some('$'),
                    Some(NixPiece::Literal(_)) => Some('{'),
                    None => None,
                };
                let mut chars = t.chars().peekable();
                while let Some(c) = chars.next() {
                    match c {
                        '"' => out.push_str("\\\""),
                        '\\' => out.push_str("\\\\"),
                        '\n' => out.push_str("\\n"),
                        '\r' => out.push_str("\\r"),
                        '\t' => out.push_str("\\t"),
                        '$' if matches!(chars.peek().copied().or(next), Some('{' | '$')) => {
                            out.push_str("\\$");
                        }
                        c => out.push(c),
                    }
                }
            }
        }
    }
    out.push('"');
    out
}

/// Returns an attribute name. It is quoted if it is a keyword or not an identifier.
pub fn attribute(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-'".contains(c))
        && ![
            "if", "then", "else", "assert", "with", "let", "in", "rec", "inherit", "or",
        ]
        .contains(&name);
    if plain {
        name.to_owned()
    } else {
        string(&[NixPiece::Literal(name.to_owned())])
    }
}
