// Folders that a test may change: copies of samples, and what lies in them.

import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root } from "./places.mjs";

/** A folder for one test, removed at its end. Its path is short, since sockets lie below it. */
export function scratch() {
  const path = mkdtempSync(join(tmpdir(), "rd-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** A folder `name` in `scratch` with copies of these files or folders of the repository. */
export function project(scratch, name, sources) {
  const folder = join(scratch, name);
  mkdirSync(folder, { recursive: true });
  for (const source of sources) {
    const to = sources.length === 1 && !/\.\w+$/.test(source) ? folder : join(folder, basename(source));
    cpSync(join(root, source), to, { recursive: true, filter: (path) => !/\/(target|\.raddle)$/.test(path) });
  }
  return folder;
}
