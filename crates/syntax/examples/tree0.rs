use rocpkg_syntax::tree::*;
fn show(n: Tree, t: &str, d: usize) {
    println!(
        "{}{} {:?}",
        "  ".repeat(d),
        n.kind(),
        &t[n.byte_range()].chars().take(30).collect::<String>()
    );
    for c in children(n) {
        show(c, t, d + 1)
    }
}
fn main() {
    let t = std::io::read_to_string(std::io::stdin()).unwrap();
    match parse(&t) {
        Ok(tree) => show(tree.root_node(), &t, 0),
        Err(e) => println!("{e:?}"),
    }
}
