// The window beside the editor: both show the same session, and what is steered in the window changes what
// both show.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import * as places from "./harness/places.mjs";
import { Raddle } from "./harness/raddle.mjs";
import { Screen } from "./harness/screen.mjs";
import { until } from "./harness/until.mjs";
import { open } from "./harness/workbench.mjs";

const FILE = "samples/c/lost_update.c";

test("steered in the window, shown in both, saved, and replayed from the terminal", async (t) => {
  const editor = await open(t, { name: "window", sources: [FILE], vsix: places.vsix(), screen: true });
  const { screen } = editor;
  const raddle = new Raddle(editor);
  await editor.openFile(FILE);
  await raddle.explore(FILE, "int main(void)");
  await editor.lenses("✗ failed after").first().waitFor({ timeout: 120_000 });
  const host = await editor.host();
  await editor.command("Raddle: Show Interleaving");
  await raddle.preemptions(1);

  await editor.command("Raddle: Open the Explorer Window");
  const window = await screen.window("lost_update");
  const { shown: failing } = await host.session("something shown", (s) => s.shown !== null);
  await screen.screenshot("window-1-failing");

  // Both stand at the preemption: the preempted thread goes on instead.
  await screen.key(window, "1");
  const { shown: steered, session: steeredIn } = await host.session("the choice", (s) => s.shown?.steered);
  assert.notEqual(steered.schedule, failing.schedule);
  await until("the editor to show it", async () => (await raddle.schedule()) === steered.schedule);
  await screen.screenshot("window-2-steered");
  await editor.screenshot("window-3-editor");

  await screen.key(window, "s");
  const stored = await until("the schedule to be saved", async () => {
    const { schedules } = await host.request("raddle/schedules", { target: FILE });
    return schedules.find((s) => s.schedule === steered.schedule);
  });
  assert.equal(stored.test, "lost_update");
  const replay = await replayed(editor, stored.file);
  assert.equal(replay.status, 0, replay.said);

  // A window that is killed takes nothing along.
  const { pid } = editor.family.members().find(({ command }) => /raddle-gui\b/.test(command));
  process.kill(pid, "SIGKILL");
  await raddle.exploreAgain(FILE, "int main(void)");
  await host.session("the search after it", (s) => s.state === "done" && s.revision > 0 && s.session !== steeredIn);
});

/** What `raddle replay` of a stored schedule says, in the folder of the editor. */
async function replayed(editor, file) {
  const args = ["replay", FILE, "lost_update", file];
  const options = { cwd: editor.folder, env: editor.family.environment(editor.environment) };
  try {
    const { stdout, stderr } = await promisify(execFile)(places.raddle(), args, options);
    return { status: 0, said: stdout + stderr };
  } catch (error) {
    // Only a program that ran has a status.
    if (typeof error.code !== "number") throw error;
    return { status: error.code, said: `${error.stdout}${error.stderr}` };
  }
}
