//! Where the socket of a workspace's host is: a folder that only its owner may enter, one for each
//! root. Paths of Unix sockets end at 107 bytes, hence the hash.

use sha2::{Digest, Sha256};
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// The folder of a workspace's host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The folder.
    pub folder: PathBuf,
    /// The workspace's root, without links.
    pub root: PathBuf,
}

impl Place {
    /// That of a workspace. Makes the folder, and refuses one that others could have made or can
    /// enter.
    pub fn of(root: &Path) -> io::Result<Place> {
        let root = root.canonicalize()?;
        let folder = parent()?.join(hash(&root));
        own_folder(&folder)?;
        Ok(Place { folder, root })
    }

    /// Does a host of this root run, or has an editor said that it is in use? Nothing is made for it.
    pub fn is_used(root: &Path) -> bool {
        let Ok(folder) = root.canonicalize().and_then(|root| Ok(parent()?.join(hash(&root)))) else {
            return false;
        };
        if !folder.is_dir() {
            return false;
        }
        let place = Place { folder, root: root.to_path_buf() };
        let held =
            || File::open(place.users()).is_ok_and(|f| matches!(f.try_lock(), Err(TryLockError::WouldBlock)));
        UnixStream::connect(place.socket()).is_ok() || held()
    }

    /// Says that the root is in use, until the file is closed.
    pub fn in_use(&self) -> io::Result<File> {
        let file = File::options().create(true).append(true).open(self.users())?;
        file.lock_shared()?;
        Ok(file)
    }

    /// Held by editors that have the root open, beside each other.
    fn users(&self) -> PathBuf {
        self.folder.join("users")
    }

    /// The socket.
    pub fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    /// Held by the host with `flock` as long as it lives.
    pub fn lock(&self) -> PathBuf {
        self.folder.join("lock")
    }

    /// What the host has to say beside its answers.
    pub fn log(&self) -> PathBuf {
        self.folder.join("host.log")
    }
}

/// The folder of all of this user's hosts.
fn parent() -> io::Result<PathBuf> {
    let folder = match std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from) {
        Some(folder) if folder.is_absolute() && folder.is_dir() => folder.join("raddle"),
        // SAFETY: has no preconditions and cannot fail.
        _ => std::env::temp_dir().join(format!("raddle-{}", unsafe { libc::geteuid() })),
    };
    own_folder(&folder)?;
    Ok(folder)
}

/// Makes a folder that is ours alone, or sees that it is.
fn own_folder(folder: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => return Ok(()),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
        Err(e) => return Err(io::Error::new(e.kind(), format!("{}: {e}", folder.display()))),
    }
    // Not through a link that somebody put there.
    let meta = fs::symlink_metadata(folder)?;
    // SAFETY: has no preconditions and cannot fail.
    let me = unsafe { libc::geteuid() };
    if !meta.is_dir() || meta.uid() != me {
        let text = format!("{} is not a folder of yours; remove it", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    if meta.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

fn hash(root: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let digest = Sha256::digest(root.as_os_str().as_bytes());
    digest.iter().take(8).map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_others_are_refused_and_open_ones_closed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a");
        own_folder(&folder).unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        own_folder(&folder).unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        let link = dir.path().join("b");
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        assert!(own_folder(&link).is_err());
    }

    #[test]
    fn roots_have_short_folders_of_their_own() {
        let (a, b) = (hash(Path::new("/a")), hash(Path::new("/b")));
        assert_eq!((a.len(), a != b), (16, true));
    }
}
