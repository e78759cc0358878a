// Prioritising functions while a search runs: the executions that follow prefer them.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as places from "./harness/places.mjs";
import { Raddle } from "./harness/raddle.mjs";
import { open } from "./harness/workbench.mjs";

// Its search takes minutes: it goes on as long as the test wants to look.
const JOBS = "samples/c/hot_pair_fixed.c";
// Its failure needs a switch between two of its many functions.
const HOT = "samples/c/hot_pair.c";

test("two functions prioritised while a search runs", async (t) => {
  const editor = await open(t, { name: "focus", sources: [JOBS], vsix: places.vsix() });
  const raddle = new Raddle(editor);
  await editor.openFile(JOBS);
  await raddle.explore(JOBS, "int main(void)");
  const host = await editor.host();
  await host.session("executions", (s) => s.state === "exploring" && s.counts.executions > 0);

  await prioritise(editor, JOBS, ["static void log_line(void)", "static void beat(void)"]);
  const followed = (s) => s.focus.methods.length === 2 && s.focus.high + s.focus.medium + s.focus.low > 1000;
  const { focus } = await host.session("a thousand executions with the new focus", followed);
  assert.deepEqual([...focus.methods].sort(), ["beat", "log_line"]);
  // Without a focus all count as low. How long the others have to wait depends on how many of these there are, which a
  // fast machine may have run by now; that they go first to the last one is what the engine's own tests say.
  assert.ok(focus.high > 0, JSON.stringify(focus));

  await editor.command("View: Show Raddle");
  const ticked = raddle.focusRows("log_line").locator("[aria-checked=true]");
  await ticked.waitFor();
  await editor.screenshot("focus-1-ticked");
  // The box does what the lens does.
  // The rows are made anew while the search goes on: a click, and a tick that is gone, may be of the old one.
  const letGo = host.session("log_line to be let go", (s) => s.focus.methods.join() === "beat");
  let over = false;
  letGo.finally(() => (over = true)).catch(() => {});
  while (!over) await ticked.click({ timeout: 2_000 }).catch(() => {});
  await letGo;

  await editor.goTo(JOBS, "int main(void)");
  await editor.clickLens("Stop exploring", async () => (await editor.lenses("Stop exploring").count()) === 0);
  const ended = await host.session("the end", (s) => s.state === "done");
  assert.equal(ended.verdict, "incomplete");
  await editor.screenshot("focus-2-stopped");
});

test("a failure between two functions is found with both prioritised", async (t) => {
  const editor = await open(t, { name: "hot", sources: [HOT], vsix: places.vsix() });
  const raddle = new Raddle(editor);
  await editor.openFile(HOT);
  await raddle.explore(HOT, "int main(void)");
  await editor.lenses("✗ failed after").first().waitFor({ timeout: 120_000 });
  const host = await editor.host();
  const isLater = (s, before) => s.session !== before.session || s.revision > before.revision;
  const failed = (s) => s.state === "done" && s.verdict === "failed";
  const plain = await host.session("the failure", failed);

  await prioritise(editor, HOT, ["static enum state look(int job)", "static void end(int job, enum state how)"]);
  await raddle.exploreAgain(HOT, "int main(void)");
  const focused = await host.session("the failure again", (s) => failed(s) && isLater(s, plain));
  // The default search finds it after two executions, so no focus can show here how much sooner it comes; where the
  // search is led from the beginning, tests/tests/host.rs does.
  assert.deepEqual([...focused.focus.methods].sort(), ["end", "look"]);
  assert.ok(focused.focus.high > 0, JSON.stringify(focused.focus));
  assert.equal(focused.failures[0].message, plain.failures[0].message);
  await editor.screenshot("focus-3-hot-pair");
});

/** Clicks the lens over each of these lines, and waits until all offer the contrary. */
async function prioritise(editor, file, lines) {
  for (const line of lines) {
    await editor.goTo(file, line);
    const { length } = lines.slice(0, lines.indexOf(line) + 1);
    await editor.clickLens("Prioritise", async () => (await editor.lenses("Stop prioritising").count()) === length);
  }
}
