use rocpkg_render::bash::*;
fn main() {
    let path = std::env::args().last().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let stmts = match read_explained(&text).map(|(s, u)| {
        if std::env::var_os("ROCPKG_UNTYPED").is_some() {
            for u in u {
                eprintln!(
                    "untyped: {} {:?}",
                    u.reason,
                    text[u.at..].chars().take(40).collect::<String>()
                )
            }
        }
        s
    }) {
        Ok(s) => s,
        Err(e) => {
            eprintln!("{e:?}");
            std::process::exit(1)
        }
    };
    visit(&stmts, &mut |seen| {
        if let Seen::Raw(word) = seen {
            eprintln!("raw: {}", word.print_bare(Quoting::Whole))
        }
    });
    let style = Style {
        indent: "\t",
        indent_width: 4,
        width: 100,
        quoting: Quoting::AfterEquals,
        padded_arrays: true,
    };
    print!("{}", print(&stmts, &style));
}
