//! Makes the folder of links that is the `PATH` of children.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    os::unix::fs::{MetadataExt, symlink},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

/// Returns the folder below `parent` that contains exactly `links`, pairs of a name and a target.
/// Makes the folder unless it exists.
///
/// Its name contains a hash of the links, so a folder is never changed after it was made. Several
/// processes may call this function at once. Each makes a folder of its own, and the first one to
/// rename its folder wins.
pub(crate) fn folder(parent: &Path, links: &[(&str, PathBuf)]) -> Result<PathBuf, String> {
    let user = fs::metadata("/proc/self").map_err(|e| format!("/proc/self: {e}"))?;
    let mut hasher = DefaultHasher::new();
    links.hash(&mut hasher);
    let name = format!("rocpkg-path-{}-{:016x}", user.uid(), hasher.finish());
    let folder = parent.join(name);
    let wrong = |e: io::Error| format!("{}: {e}", folder.display());
    if !folder.exists() {
        make(&folder, links).map_err(wrong)?;
    }
    // The folder for temporary files is writable for everyone, so the owner is checked.
    let made = fs::symlink_metadata(&folder).map_err(wrong)?;
    if made.is_dir() && made.uid() == user.uid() {
        Ok(folder)
    } else {
        Err(format!("{}: another user made it", folder.display()))
    }
}

fn make(folder: &Path, links: &[(&str, PathBuf)]) -> io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let new = folder.with_extension(format!("{}-{count}", process::id()));
    // An earlier process with the same id may have been killed and have left its folder.
    if new.exists() {
        fs::remove_dir_all(&new)?;
    }
    fs::create_dir_all(&new)?;
    for (name, target) in links {
        symlink(target, new.join(name))?;
    }
    let renamed = fs::rename(&new, folder);
    if renamed.is_err() {
        fs::remove_dir_all(&new)?;
        // Another process was quicker, and its folder has the same links.
        if folder.is_dir() {
            return Ok(());
        }
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Makes and returns an empty folder for one test, below the folder for temporary files. Each
    /// test passes another name.
    fn scratch(name: &str) -> PathBuf {
        let parent = std::env::temp_dir().join(format!("rocpkg-links-{name}-{}", process::id()));
        fs::create_dir_all(&parent).unwrap();
        parent
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn many_at_once_make_one_folder() {
        let parent = scratch("race");
        let links: Vec<_> = ["a", "b", "c"].map(|n| (n, PathBuf::from(n))).into();
        let made: Vec<_> = thread::scope(|scope| {
            let all: Vec<_> = (0..16)
                .map(|_| scope.spawn(|| folder(&parent, &links)))
                .collect();
            all.into_iter().map(|t| t.join().unwrap()).collect()
        });
        let first = made[0].as_ref().unwrap();
        assert!(made.iter().all(|m| m.as_ref() == Ok(first)), "{made:?}");
        assert_eq!(names(first), ["a", "b", "c"]);
        assert_eq!(names(&parent).len(), 1, "nothing else is left");
        fs::remove_dir_all(parent).unwrap();
    }

    #[test]
    fn what_someone_else_put_there_is_refused() {
        let parent = scratch("refused");
        let links = [("a", PathBuf::from("/x/a"))];
        let made = folder(&parent, &links).unwrap();
        fs::rename(&made, parent.join("b")).unwrap();
        symlink("b", &made).unwrap();
        let message = folder(&parent, &links).unwrap_err();
        assert!(message.ends_with(": another user made it"), "{message}");
        fs::remove_dir_all(parent).unwrap();
    }

    #[test]
    fn other_links_are_another_folder() {
        let parent = scratch("other");
        let one = folder(&parent, &[("a", PathBuf::from("/x/a"))]).unwrap();
        let two = folder(&parent, &[("a", PathBuf::from("/y/a"))]).unwrap();
        assert_ne!(one, two);
        assert_eq!(fs::read_link(one.join("a")).unwrap(), Path::new("/x/a"));
        assert_eq!(fs::read_link(two.join("a")).unwrap(), Path::new("/y/a"));
        fs::remove_dir_all(parent).unwrap();
    }
}
