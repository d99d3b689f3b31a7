//! A folder that is removed when its value is dropped. (The crate `tempfile` would double the time
//! to build xtask.)

use std::{env, fs, path::PathBuf, process};

/// A new folder outside of the workspace, which is removed when the value is dropped.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    /// Creates the folder `rocpkg-NAME-…` in the folder for temporary files.
    pub(crate) fn new(name: &str) -> Result<Self, String> {
        let folder = env::temp_dir().join(format!("rocpkg-{name}-{}", process::id()));
        fs::create_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // An error can't be returned from here, and the system cleans up its folder of temporary
        // files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_there_until_it_is_dropped() {
        let scratch = Scratch::new("test").unwrap();
        let folder = scratch.0.clone();
        fs::create_dir_all(folder.join("a/b")).unwrap();
        drop(scratch);
        assert!(!folder.exists());
    }
}
