// Tests that run inside of the extension host, with VS Code's own API: the extension is loaded from its
// folder, and the host calls `run()` of a module of it.
//
// That module writes what came of each test as a line of JSON into the file that RADDLE_TEST_RESULTS names:
// `{"test": NAME, "error": null or TEXT}`, and at the end `{"done": true}`.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.mjs";
import { open } from "./workbench.mjs";

/** Runs the module `tests` (a path in the extension's `folder`) beside a workspace, and gives its results. */
export async function run(t, { name, sources, folder, tests, settings, patience = 180_000 }) {
  let file;
  const editor = await open(t, {
    name,
    sources,
    settings,
    env: ({ scratch }) => ({ RADDLE_TEST_RESULTS: (file = join(scratch, "results.jsonl")) }),
    payload: (server) => [
      ["extensionDevelopmentPath", server.remote(folder)],
      ["extensionTestsPath", server.remote(join(folder, tests))],
    ],
  });
  const lines = await until("the extension host's tests to end", () => finished(file), { patience });
  await editor.screenshot(`${name}-end`);
  return lines;
}

/** What the tests have written, once they are done. */
function finished(file) {
  if (!existsSync(file)) return undefined;
  const written = readFileSync(file, "utf8").split("\n").slice(0, -1);
  const lines = written.map((line) => JSON.parse(line));
  return lines.at(-1)?.done ? lines.slice(0, -1) : undefined;
}
