// The view of sessions: what its rows offer, and that it does what they say.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Debugging } from "./harness/debugging.mjs";
import * as places from "./harness/places.mjs";
import { Raddle } from "./harness/raddle.mjs";
import { open } from "./harness/workbench.mjs";

const LOST = "samples/c/lost_update.c";
// Its search takes minutes: it goes on as long as the test wants to look.
const JOBS = "samples/c/hot_pair_fixed.c";

test("a failure is copied, debugged and replayed from its row", async (t) => {
  const editor = await open(t, { name: "rows", sources: [LOST], vsix: places.vsix() });
  const raddle = new Raddle(editor);
  await editor.openFile(LOST);
  await raddle.explore(LOST, "int main(void)");
  await editor.lenses("✗ failed after").first().waitFor({ timeout: 120_000 });
  await editor.command("View: Show Raddle");
  const failure = raddle.sessionRows("assertion `counter == 2` failed");

  await raddle.rowAction(failure, "Copy the Replay Command");
  await editor.statusItem(`raddle replay ${LOST} lost_update sync@`).waitFor();
  await editor.screenshot("sessions-1-failure");

  await raddle.rowAction(failure, "Debug the Failing Schedule");
  const debugging = new Debugging(editor);
  await debugging.state("T2", "preemption 1");
  await debugging.press("Stop");
  await debugging.ended();

  await editor.command("View: Show Raddle");
  await failure.click({ button: "right" });
  await editor.page.locator(".context-view .action-item", { hasText: "Replay the Schedule in a Terminal" }).hover();
  await editor.page.keyboard.press("Enter");
  await editor.page.locator(".single-terminal-tab", { hasText: "replay" }).waitFor();
  await editor.screenshot("sessions-2-replayed");
});

test("a search is paused, resumed and stopped from its row", async (t) => {
  const editor = await open(t, { name: "control", sources: [JOBS], vsix: places.vsix() });
  const raddle = new Raddle(editor);
  await editor.openFile(JOBS);
  await raddle.explore(JOBS, "int main(void)");
  const host = await editor.host();
  const { session } = await host.session("executions", (s) => s.state === "exploring" && s.counts.executions > 0);
  await editor.command("View: Show Raddle");
  const row = raddle.sessionRows("hot_pair_fixed");

  await raddle.rowAction(row, "Pause Exploring");
  const paused = await host.session("the pause", (s) => s.session === session && s.state === "paused");
  await row.filter({ hasText: "paused" }).waitFor();
  await editor.screenshot("sessions-3-paused");
  await raddle.rowAction(row, "Resume Exploring");
  const further = (s) => s.state === "exploring" && s.counts.executions > paused.counts.executions;
  await host.session("more executions", further);
  await raddle.rowAction(row, "Stop Exploring");
  const ended = await host.session("the end", (s) => s.state === "done");
  assert.equal(ended.verdict, "incomplete");
});
