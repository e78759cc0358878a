// Where the tests find what they test, and where they leave what they saw. `cargo xtask test` sets the
// variables; started by hand, the defaults are those of a release build.

import { existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");

/** The folder of the workbench: what `cargo xtask workbench` built. */
export function workbench() {
  return required("RADDLE_WORKBENCH", process.env.RADDLE_WORKBENCH, "cargo xtask workbench says where it is");
}

/** The `raddle` that a person has in a terminal. */
export function raddle() {
  const path = process.env.RADDLE_BIN ?? join(root, "target/release/raddle");
  return required("RADDLE_BIN", path, "cargo build --release makes it");
}

/** The packed extension. */
export function vsix() {
  const path = process.env.RADDLE_VSIX ?? join(root, "target/raddle.vsix");
  return required("RADDLE_VSIX", path, "`cargo xtask test --only extension` packs it");
}

/** The folder of the extension, which that step builds. */
export const extension = join(root, "vscode-extension");

/** The browser. */
export function chromium() {
  return required("RADDLE_CHROMIUM", process.env.RADDLE_CHROMIUM ?? "/usr/bin/chromium", "Debian's chromium has it");
}

/** The folder for screenshots. */
export function screenshots() {
  const folder = process.env.RADDLE_SCREENSHOTS ?? join(root, "target/screenshots");
  mkdirSync(folder, { recursive: true });
  return folder;
}

function required(variable, path, hint) {
  if (path && existsSync(path)) return path;
  throw new Error(path ? `${path} does not exist (${variable}); ${hint}` : `${variable} is not set; ${hint}`);
}
