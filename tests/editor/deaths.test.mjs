// Parts of Raddle that are killed: the editor says so, and goes on.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as places from "./harness/places.mjs";
import { Raddle } from "./harness/raddle.mjs";
import { until } from "./harness/until.mjs";
import { open } from "./harness/workbench.mjs";

// Its search takes minutes.
const JOBS = "samples/c/hot_pair_fixed.c";

test("the host is killed while it searches", async (t) => {
  const { editor, raddle, host } = await searching(t, "death-host");
  process.kill(host.pid, "SIGKILL");
  await editor.notification("Raddle's host has ended. One search was running and is lost.").waitFor();
  await editor.screenshot("death-host");
  // The lens offers what it did before, and another search runs in another host.
  await raddle.exploreAgain(JOBS, "int main(void)");
  const next = await editor.host();
  assert.notEqual(next.pid, host.pid);
  await next.session("executions", (s) => s.state === "exploring" && s.counts.executions > 0);
  await stop(next);
});

test("the runner is killed while it searches", async (t) => {
  const { editor, host } = await searching(t, "death-runner");
  const before = host.sessions[0].counts.executions;
  const runner = await until("a runner", () => editor.family.members().find(({ parent }) => parent === host.pid));
  process.kill(runner.pid, "SIGKILL");
  const goesOn = (s) => s.state === "done" || s.counts.executions > before + 10_000;
  const after = await host.session("the search to go on or to end", goesOn);
  assert.notEqual(after.verdict, "passed");
  await stop(host);
});

test("the language server is killed while a search runs", async (t) => {
  const { editor, host } = await searching(t, "death-server");
  const server = editor.family.members().find(({ command }) => / lsp\b/.test(command));
  process.kill(server.pid, "SIGKILL");
  // The editor starts another one, which finds the search that still runs.
  await editor.lenses("Stop exploring").first().waitFor({ state: "hidden" });
  await editor.lenses("Stop exploring").first().waitFor();
  assert.equal(host.sessions[0].state, "exploring");
  await stop(host);
});

/** Ends the search: a host does not end before it. */
async function stop(host) {
  for (const { session } of host.sessions) await host.request("raddle/stop", { session });
  await host.session("the end of the search", (s) => s.state === "done");
}

/** A workbench in which a long search runs. */
async function searching(t, name) {
  const editor = await open(t, { name, sources: [JOBS], vsix: places.vsix() });
  const raddle = new Raddle(editor);
  await editor.openFile(JOBS);
  await raddle.explore(JOBS, "int main(void)");
  const host = await editor.host();
  await host.session("executions", (s) => s.state === "exploring" && s.counts.executions > 0);
  return { editor, raddle, host };
}
