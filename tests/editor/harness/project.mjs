// Folders that a test may change: copies of samples, and what lies in them.

import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./places.mjs";

/** A folder for one test, removed at its end. Its path is short, since sockets lie below it. */
export function scratch() {
  const path = mkdtempSync(join(tmpdir(), "rd-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/**
 * A folder `name` in `scratch` with a copy of a part of the repository: what is in a folder, or, of a list of
 * paths, each at its path.
 */
export function project(scratch, name, sources) {
  const folder = join(scratch, name);
  const parts = Array.isArray(sources) ? sources.map((path) => [path, path]) : [[sources, "."]];
  for (const [from, to] of parts) {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    // What was built or stored there is not part of it.
    const filter = (path) => !/\/(target|\.raddle)$/.test(path);
    cpSync(join(root, from), join(folder, to), { recursive: true, filter });
  }
  return folder;
}
