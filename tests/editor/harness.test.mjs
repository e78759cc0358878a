// The rig itself.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Family } from "./harness/processes.mjs";
import { until } from "./harness/until.mjs";
import { open } from "./harness/workbench.mjs";

test("without an extension: a folder is opened, a file edited and saved", async (t) => {
  const editor = await open(t, { name: "c", sources: ["samples/c/lost_update.c"] });
  const file = "samples/c/lost_update.c";
  await editor.openFile(file);
  await editor.goTo(file, "atomic_store");
  const race = "int seen = atomic_load(&counter);\n    atomic_store(&counter, seen + 1);";
  await editor.replace(file, race, "atomic_fetch_add(&counter, 1);");
  assert.match(editor.read(file), /unused;\n    atomic_fetch_add\(&counter, 1\);\n    return/);
  await editor.screenshot("workbench");
});

test("a process that outlives its test is named and killed, even one that detached itself", async () => {
  const family = new Family();
  family.start("sh", ["-c", "setsid sleep 600 & wait"]);
  const sleeps = () => family.members().some((m) => m.command === "sleep 600");
  await until("the process to start", sleeps);
  await assert.rejects(family.gone(100), /still running after the end:[^]*sleep 600/);
  await until("the process to be gone", () => !sleeps());
});
