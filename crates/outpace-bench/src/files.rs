//! Files that appear whole or not at all.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::fail::{Failure, Outcome};

/// A file that gets its name only when it is complete; dropped before that, nothing stays behind.
///
/// Opened before the work that fills it, so that an unwritable path is known before minutes of measuring.
#[derive(Debug)]
pub struct Pending {
    destination: PathBuf,
    temporary: PathBuf,
    file: Option<File>,
}

impl Pending {
    pub fn open(destination: &Path) -> Outcome<Self> {
        let refuse =
            |why: &dyn std::fmt::Display| Failure::new(format!("cannot write {}: {why}", destination.display()));
        if destination.is_dir() {
            return Err(refuse(&"it is a directory"));
        }
        let name = destination.file_name().ok_or_else(|| refuse(&"it has no file name"))?;
        let mut temporary_name = std::ffi::OsString::from(".");
        temporary_name.push(name);
        temporary_name.push(format!(".{}", std::process::id()));
        let temporary = destination.with_file_name(temporary_name);
        let file = File::create(&temporary).map_err(|error| refuse(&error))?;
        Ok(Self { destination: destination.to_owned(), temporary, file: Some(file) })
    }

    /// Writes `contents` and gives the file its name.
    pub fn complete(mut self, contents: &[u8]) -> Outcome<()> {
        let mut file = self.file.take().expect("a pending file is completed once");
        let written = file.write_all(contents).and_then(|()| file.sync_all());
        drop(file);
        let result = written.and_then(|()| std::fs::rename(&self.temporary, &self.destination));
        if result.is_err() {
            let _ = std::fs::remove_file(&self.temporary);
        }
        result.map_err(|error| Failure::new(format!("cannot write {}: {error}", self.destination.display())))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("outpace-files-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_dropped_file_leaves_nothing() {
        let folder = folder("dropped");
        drop(Pending::open(&folder.join("a.json")).unwrap());
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_completed_file_is_alone_in_its_folder() {
        let folder = folder("completed");
        let path = folder.join("a.json");
        Pending::open(&path).unwrap().complete(b"contents").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"contents");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_cannot_be_written_is_refused_at_once() {
        let folder = folder("refused");
        for path in [folder.join("missing/a.json"), folder.clone(), PathBuf::from("/")] {
            let line = Pending::open(&path).unwrap_err().to_string();
            assert!(line.starts_with("cannot write "), "{line}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
