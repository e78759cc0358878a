//! What a `Cargo.toml` says about packages beside the workspace: whether it depends on such is known before anything is
//! resolved, fetched or built. (What registries and repositories give is in `Cargo.lock`.)

use super::shadow::normal;
use std::path::Path;
use toml::Table;

/// Does this manifest, of a package in this folder, name a package on this machine that lies outside of the workspace?
/// Dependencies of build scripts run beside the compiler and do not count.
pub(super) fn depends_on_others(text: &str, folder: &Path, workspace: &Path) -> bool {
    // What cargo does not accept is not built either.
    let Ok(manifest) = text.parse::<Table>() else { return false };
    let targets = tables(manifest.get("target")).flat_map(|(_, target)| dependencies(target));
    let shared = manifest.get("workspace").and_then(|w| w.as_table()).into_iter().flat_map(dependencies);
    let patched = tables(manifest.get("patch")).flat_map(|(_, patch)| patch.values());
    dependencies(&manifest)
        .chain(targets)
        .chain(shared)
        .chain(patched)
        .any(|dependency| is_elsewhere(dependency, folder, workspace))
}

/// The dependencies of one table that has such, by whatever name.
fn dependencies(of: &Table) -> impl Iterator<Item = &toml::Value> {
    let names = ["dependencies", "dev-dependencies", "dev_dependencies"];
    names.into_iter().filter_map(|name| of.get(name)?.as_table()).flat_map(Table::values)
}

/// The tables in a table.
fn tables(of: Option<&toml::Value>) -> impl Iterator<Item = (&String, &Table)> {
    let all = of.and_then(|of| of.as_table()).into_iter().flatten();
    all.filter_map(|(name, value)| Some((name, value.as_table()?)))
}

fn is_elsewhere(dependency: &toml::Value, folder: &Path, workspace: &Path) -> bool {
    let path = dependency.as_table().and_then(|d| d.get("path")).and_then(toml::Value::as_str);
    path.is_some_and(|path| normal(&folder.join(path)).is_none_or(|path| !path.starts_with(workspace)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_from_elsewhere_are_told_from_those_of_the_workspace() {
        let depends = |text: &str| depends_on_others(text, Path::new("/w/a"), Path::new("/w"));
        for text in [
            "[dependencies]\nx = { path = \"../../x\" }",
            "[dev-dependencies.x]\npath = \"/x\"",
            "[target.'cfg(unix)'.dependencies]\nx = { path = \"../../x\", version = \"1\" }",
            "[workspace.dependencies]\nx = { path = \"../../x\" }",
            "[patch.crates-io]\nx = { path = \"../../x\" }",
        ] {
            assert!(depends(text), "{text}");
        }
        for text in [
            "",
            "[package]\nname = \"a\"",
            "[dependencies]\nx = \"1\"\ny.workspace = true",
            "[dependencies]\nx = { path = \"../x\" }",
            "[build-dependencies]\nx = { path = \"../../x\" }",
            "[dependencies",
        ] {
            assert!(!depends(text), "{text}");
        }
    }
}
