// The extension's own tests inside of the extension host: vscode-extension/test/host.

import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "./harness/exthost.mjs";
import { extension } from "./harness/places.mjs";

test("inside of the extension host", async (t) => {
  const sources = ["samples/c/lost_update.c", "samples/rust/bank"];
  const outcomes = await run(t, { name: "exthost", sources, folder: extension, tests: "dist/test/host/index.js" });
  // None would show nothing.
  assert.ok(outcomes.length > 10, `${outcomes.length} outcomes`);
  for (const { name, passed, error } of outcomes) {
    await t.test(name, () => assert.ok(passed, error));
  }
});
