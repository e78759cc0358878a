//! Which module of which crate a file of a package is, as its instrumentation needs to know.

use super::functions::Crate;
use super::index::{TargetsError, targets};
use super::modules::{ModuleFile, module_files};
use std::path::Path;

/// The file as a module of the first target of the package (library, programs, `tests/`) that has
/// it; `None` when none has.
pub fn module_of(package: &Path, file: &Path) -> Result<Option<(ModuleFile, Crate)>, TargetsError> {
    let wanted = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    for target in targets(package)? {
        let files = module_files(&target.root);
        let no_std = files.first().is_some_and(|root| is_no_std(&root.text));
        let same = |f: &ModuleFile| f.file.canonicalize().is_ok_and(|f| f == wanted);
        if let Some(found) = files.into_iter().find(same) {
            return Ok(Some((found, Crate { edition: edition(&target.root), no_std })));
        }
    }
    Ok(None)
}

/// Does a crate with this root do without std, unconditionally?
fn is_no_std(root: &str) -> bool {
    let parsed = super::parse::file(root);
    parsed.is_ok_and(|file| file.attrs.iter().any(|a| a.path().is_ident("no_std")))
}

/// The edition in the manifest nearest to a crate's root. One that is inherited from the workspace
/// is no 2015, the only edition that makes a difference here.
fn edition(root: &Path) -> u16 {
    let manifest = root.ancestors().map(|a| a.join("Cargo.toml")).find(|m| m.is_file());
    let text = manifest.and_then(|m| std::fs::read_to_string(m).ok()).unwrap_or_default();
    let table = text.parse::<toml::Table>().unwrap_or_default();
    match table.get("package").and_then(|p| p.get("edition")) {
        None => 2015,
        Some(edition) => edition.as_str().and_then(|e| e.parse().ok()).unwrap_or(Crate::default().edition),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_in_its_crate() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, text).unwrap();
            file
        };
        write("Cargo.toml", "[package]\nname = \"p\"\nversion = \"0.1.0\"\n[workspace]\n");
        write("src/lib.rs", "#![no_std]\nmod a;\n");
        let nested = write("src/a/b.rs", "");
        write("src/a.rs", "mod b;\n");
        let other = write("src/other.rs", "");
        let (found, of) = module_of(folder.path(), &nested).unwrap().unwrap();
        assert_eq!(found.module, ["a", "b"]);
        assert_eq!(of, Crate { edition: 2015, no_std: true });
        assert_eq!(module_of(folder.path(), &other).unwrap(), None);
    }
}
