// Tests that run inside of the extension host, with VS Code's own API: the extension is loaded from its
// folder, and the host calls `run()` of a module of it, which writes what came of each test into the file that
// RADDLE_HOST_TEST_RESULT names, as `{"outcomes": [{"name", "passed", "error"}]}`.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.mjs";
import { open } from "./workbench.mjs";

/** Runs the module `tests` (a path in the extension's `folder`) beside a workspace, and gives the outcomes. */
export async function run(t, { name, sources, folder, tests, patience = 240_000 }) {
  let file;
  const editor = await open(t, {
    name,
    sources,
    env: ({ scratch }) => ({ RADDLE_HOST_TEST_RESULT: (file = join(scratch, "outcomes.json")) }),
    payload: (server) => [
      ["extensionDevelopmentPath", server.remote(folder)],
      ["extensionTestsPath", server.remote(join(folder, tests))],
    ],
  });
  const { outcomes } = await until("the extension host's tests to end", () => written(file), { patience });
  await editor.screenshot(`${name}-end`);
  return outcomes;
}

/** What the tests have written, once it is whole. */
function written(file) {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
