//! The cache folder: the runtime and instrumented builds, in folders named by what they are made
//! of. Whatever goes in is put together aside and renamed into place, so that commands started at
//! the same time never see half of it.

use crate::assembler;
use crate::error::{Error, Result};
use flate2::read::GzDecoder;
use raddle_instrumenter::c::assembly::SECTION;
use raddle_instrumenter::c::driver::Kit;
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The runtime, packed by gzip.
const RUNTIME: &[u8] = include_bytes!(env!("RADDLE_RT_PACKED"));
/// Hash of it, unpacked.
const RUNTIME_HASH: &str = env!("RADDLE_RT_HASH");
/// Headers for programs and for what is inserted into them.
const HEADERS: [(&str, &[u8]); 2] = [
    ("raddle.h", include_bytes!(env!("RADDLE_H"))),
    ("raddle_points.h", include_bytes!(env!("RADDLE_POINTS_H"))),
];
/// Headers of ours that come before those of libc and of C++'s library.
const FIRST: [(&str, &[u8]); 8] = [
    ("features.h", include_bytes!(env!("RADDLE_FEATURES_H"))),
    ("future", include_bytes!(env!("RADDLE_FUTURE_H"))),
    ("stop_token", include_bytes!(env!("RADDLE_STOP_TOKEN_H"))),
    ("bits/atomic_futex.h", include_bytes!(env!("RADDLE_ATOMIC_FUTEX_H"))),
    ("bits/atomic_wait.h", include_bytes!(env!("RADDLE_ATOMIC_WAIT_H"))),
    ("bits/shared_ptr_base.h", include_bytes!(env!("RADDLE_SHARED_PTR_BASE_H"))),
    ("bits/shared_ptr_atomic.h", include_bytes!(env!("RADDLE_SHARED_PTR_ATOMIC_H"))),
    ("bits/basic_string.tcc", include_bytes!(env!("RADDLE_BASIC_STRING_H"))),
];

/// A file in every cache folder, so that `raddle clean` never empties another one.
const TAG: &str = "CACHEDIR.TAG";
/// The signature line is the standard's (bford.info/cachedir), for backup programs.
const TAG_TEXT: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# This folder was made by raddle; `raddle clean` empties it.\n";

/// The cache folder of this user.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
}

/// The runtime as it lies in the cache.
#[derive(Clone, Debug)]
pub struct Runtime {
    /// Folder of `libraddle_rt.so`.
    pub lib: PathBuf,
    /// Folder of `raddle.h` and `raddle_points.h`.
    pub include: PathBuf,
    /// Folder of the assembler that stands before the real one ([`crate::assembler`]).
    pub assembler: Option<PathBuf>,
    /// Hash of all of them.
    pub hash: String,
}

impl Runtime {
    /// As the compiler driver takes it.
    pub fn kit(&self) -> Kit {
        Kit { lib: self.lib.clone(), include: self.include.clone(), assembler: self.assembler.clone() }
    }
}

/// Hash of the runtime and its headers.
fn runtime_hash() -> String {
    let key = Key::new().add(RUNTIME_HASH).add(SECTION);
    HEADERS.iter().chain(&FIRST).fold(key, |key, (_, contents)| key.add(contents)).hex(16)
}

impl Cache {
    /// The folder that the environment names: RADDLE_CACHE, else XDG_CACHE_HOME/raddle, else
    /// ~/.cache/raddle. Creates nothing yet.
    pub fn locate() -> Result<Cache> {
        let variable = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let root = variable("RADDLE_CACHE")
            .or_else(|| variable("XDG_CACHE_HOME").map(|p| p.join("raddle")))
            .or_else(|| variable("HOME").map(|p| p.join(".cache/raddle")))
            .ok_or_else(|| {
                Error::new("no cache folder")
                    .because("none of RADDLE_CACHE, XDG_CACHE_HOME and HOME is set")
                    .next("set RADDLE_CACHE to a folder that can be written")
            })?;
        let root = std::path::absolute(&root).map_err(|e| Error::file("find", &root, &e))?;
        Ok(Cache { root })
    }

    /// This folder.
    #[cfg(test)]
    pub fn at(root: PathBuf) -> Cache {
        Cache { root }
    }

    /// Where it lies.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn error(&self, path: &Path, e: &std::io::Error) -> Error {
        Error::file("write the cache folder", path, e)
            .next("make it writable, or set RADDLE_CACHE to a folder that is")
    }

    fn create(&self) -> Result<()> {
        fs::create_dir_all(&self.root).map_err(|e| self.error(&self.root, &e))?;
        let tag = self.root.join(TAG);
        if !tag.exists() {
            fs::write(&tag, TAG_TEXT).map_err(|e| self.error(&tag, &e))?;
        }
        Ok(())
    }

    /// The folder with this name, filled by `fill` if it is not there yet.
    pub fn folder(&self, name: &str, fill: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
        let path = self.root.join(name);
        if path.is_dir() {
            return Ok(path);
        }
        let aside = self.aside(name)?;
        let filled = fill(&aside.0);
        filled?;
        match fs::rename(&aside.0, &path) {
            Ok(()) => Ok(path),
            // Somebody else was faster; theirs has the same contents.
            Err(_) if path.is_dir() => Ok(path),
            Err(e) => Err(self.error(&path, &e)),
        }
    }

    /// The text of a small file, if it is there.
    pub fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.root.join(name)).ok()
    }

    /// Writes a small file, whole or not at all.
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        self.create()?;
        let path = self.root.join(name);
        let folder = path.parent().unwrap_or(&self.root);
        let written = fs::create_dir_all(folder).and_then(|()| {
            let mut aside = tempfile::NamedTempFile::new_in(folder)?;
            aside.write_all(text.as_bytes())?;
            aside.persist(&path).map_err(|e| e.error)
        });
        written.map(drop).map_err(|e| self.error(&path, &e))
    }

    /// A new file without a name: gone when it is closed.
    pub fn unnamed(&self) -> Result<File> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        self.create()?;
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = self.root.join(format!("aside-{}-{number}", std::process::id()));
        let options = File::options().read(true).write(true).create_new(true).open(&path);
        let file = options.map_err(|e| self.error(&path, &e))?;
        fs::remove_file(&path).map_err(|e| self.error(&path, &e))?;
        Ok(file)
    }

    /// A new empty folder beside the final ones, removed when dropped.
    pub fn aside(&self, name: &str) -> Result<Aside> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        self.create()?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = self.root.join(format!(".{name}-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).map_err(|e| self.error(&path, &e))?;
        Ok(Aside(path))
    }

    /// As [`Self::runtime`], and says so on standard error where that unpacks it.
    pub fn runtime_aloud(&self) -> Result<Runtime> {
        if !self.root.join(format!("runtime-{}", runtime_hash())).is_dir() {
            eprintln!("raddle: unpacking into {}", self.root.display());
        }
        self.runtime()
    }

    /// The runtime and its headers, unpacked. A compiler that says nothing where all is well says nothing here either.
    pub fn runtime(&self) -> Result<Runtime> {
        let hash = runtime_hash();
        let root = self.folder(&format!("runtime-{hash}"), |aside| {
            let write = |path: PathBuf, contents: &[u8]| {
                let folder = path.parent().unwrap_or(aside);
                let write = fs::create_dir_all(folder).and_then(|()| fs::write(&path, contents));
                write.map_err(|e| self.error(&path, &e))
            };
            let mut runtime = Vec::new();
            GzDecoder::new(RUNTIME).read_to_end(&mut runtime).map_err(|e| {
                Error::new("cannot unpack the runtime that raddle carries")
                    .because(e)
                    .next("install raddle anew")
            })?;
            write(aside.join("lib/libraddle_rt.so"), &runtime)?;
            for (file, contents) in HEADERS {
                write(aside.join("include").join(file), contents)?;
            }
            for (file, contents) in FIRST {
                write(aside.join("include/first").join(file), contents)?;
            }
            Ok(())
        })?;
        let assembler = self.assembler()?;
        Ok(Runtime { lib: root.join("lib"), include: root.join("include"), assembler, hash })
    }

    /// The folder in which this program is called `as`; none where the machine has no assembler for it to call.
    fn assembler(&self) -> Result<Option<PathBuf>> {
        // A test of ours is no assembler under any name.
        if cfg!(test) || assembler::real().is_none() {
            return Ok(None);
        }
        let own = std::env::current_exe().map_err(|e| Error::new("cannot find raddle itself").because(e))?;
        let name = format!("assembler-{}", Key::new().add_os(&own).hex(16));
        let made = self.folder(&name, |aside| {
            let link = aside.join(assembler::NAME);
            std::os::unix::fs::symlink(&own, &link).map_err(|e| Error::file("write", &link, &e))
        });
        made.map(Some)
    }

    /// Empties the folder. Returns the bytes it held; `None` when there was no such folder.
    pub fn clean(&self) -> Result<Option<u64>> {
        if !self.root.exists() {
            return Ok(None);
        }
        if !self.root.join(TAG).exists() {
            return Err(Error::new(format!("will not empty {}", self.root.display()))
                .because(format!("it holds no {TAG}, so it is not a cache folder of Raddle's"))
                .next("check RADDLE_CACHE, or remove the folder by hand"));
        }
        let bytes = size(&self.root);
        fs::remove_dir_all(&self.root).map_err(|e| Error::file("remove", &self.root, &e))?;
        Ok(Some(bytes))
    }
}

/// A folder that is removed when dropped, unless it was renamed away.
#[derive(Debug)]
pub struct Aside(PathBuf);

impl Aside {
    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn size(path: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(path) else { return 0 };
    entries
        .flatten()
        .map(|e| match e.metadata() {
            Ok(m) if m.is_dir() => size(&e.path()),
            Ok(m) => m.len(),
            Err(_) => 0,
        })
        .sum()
}

/// Contents to a name. Every part counts with its length, so that parts cannot run together.
pub struct Key(Sha256);

impl Key {
    /// Of nothing yet.
    pub fn new() -> Self {
        Key(Sha256::new())
    }

    /// With one more part.
    pub fn add(mut self, part: impl AsRef<[u8]>) -> Self {
        self.0.update((part.as_ref().len() as u64).to_le_bytes());
        self.0.update(part.as_ref());
        self
    }

    /// With one more argument or path.
    pub fn add_os(self, part: impl AsRef<OsStr>) -> Self {
        self.add(part.as_ref().as_bytes())
    }

    /// As that many hexadecimal digits.
    pub fn hex(self, digits: usize) -> String {
        let mut text: String = self.0.finalize().iter().map(|b| format!("{b:02x}")).collect();
        text.truncate(digits);
        text
    }

    /// As 16 bits, the hash in schedule strings: it only warns of edits, so short is better.
    pub fn short(self) -> u32 {
        let bytes = self.0.finalize();
        u32::from(bytes[0]) << 8 | u32::from(bytes[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> (tempfile::TempDir, Cache) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("cache");
        (dir, Cache { root })
    }

    #[test]
    fn a_folder_is_filled_once_and_nothing_stays_aside() {
        let (_dir, cache) = cache();
        let fill = |p: &Path| fs::write(p.join("x"), "1").map_err(|e| Error::file("write", p, &e));
        let path = cache.folder("a", fill).unwrap();
        assert!(path.join("x").exists());
        cache.folder("a", |_| panic!("filled twice")).unwrap();
        assert!(cache.folder("b", |_| Err(Error::new("no"))).is_err());
        let mut names: Vec<_> = fs::read_dir(cache.root())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, [TAG, "a"]);
    }

    #[test]
    fn clean_empties_only_what_it_made() {
        let (_dir, cache) = cache();
        assert!(cache.clean().unwrap().is_none());
        cache.folder("a", |_| Ok(())).unwrap();
        assert!(cache.clean().unwrap().is_some());
        assert!(!cache.root().exists());
        fs::create_dir(cache.root()).unwrap();
        assert!(cache.clean().unwrap_err().render().contains("will not empty"));
    }

    #[test]
    fn keys_depend_on_the_parts_borders() {
        assert_ne!(Key::new().add("ab").add("c").hex(16), Key::new().add("a").add("bc").hex(16));
    }
}
