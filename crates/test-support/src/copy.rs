use std::{fs, path::Path};

/// Copies the folder `from` with everything below it to `to`. Links are copied as links.
///
/// Tools such as Portage write caches into the folders that they read, so each test gives them a
/// copy.
pub fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap_or_else(|e| panic!("{}: {e}", to.display()));
    let entries = fs::read_dir(from).unwrap_or_else(|e| panic!("{}: {e}", from.display()));
    for entry in entries {
        let entry = entry.unwrap_or_else(|e| panic!("{}: {e}", from.display()));
        let target = to.join(entry.file_name());
        let kind = entry
            .file_type()
            .unwrap_or_else(|e| panic!("{}: {e}", entry.path().display()));
        let copied = if kind.is_dir() {
            copy_tree(&entry.path(), &target);
            Ok(())
        } else if kind.is_symlink() {
            fs::read_link(entry.path()).and_then(|link| std::os::unix::fs::symlink(link, &target))
        } else {
            fs::copy(entry.path(), &target).map(|_| ())
        };
        copied.unwrap_or_else(|e| panic!("{}: {e}", target.display()));
    }
}

/// Writes a file, and makes the folders above it.
///
/// # Panics
/// If the file can't be written.
#[track_caller]
#[allow(
    clippy::disallowed_methods,
    reason = "the ban on plain writes is for what rocpkg ships"
)]
pub fn write_file(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) {
    let path = path.as_ref();
    let folder = path.parent().expect("a file is in a folder");
    fs::create_dir_all(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    fs::write(path, contents).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

/// Writes a small stand-in for one of upstream's projects into the folder `place`: the
/// `CMakeLists.txt` of `standins/project`, and the further files `files`, which are empty but for a
/// comment.
pub(crate) fn stand_in(place: &Path, files: &[&str]) {
    let lists =
        fs::read_to_string(crate::fixture("standins/project/CMakeLists.txt")).expect("a stand-in");
    write_file(place.join("CMakeLists.txt"), &lists);
    for file in files {
        write_file(place.join(file), "# A stand-in.\n");
    }
}
