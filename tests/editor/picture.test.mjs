// The picture's own buttons: to the source, another thread next, back again, save, search below.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as places from "./harness/places.mjs";
import { Raddle } from "./harness/raddle.mjs";
import { until } from "./harness/until.mjs";
import { open } from "./harness/workbench.mjs";

const FILE = "samples/c/lost_update.c";

test("the picture leads to the source, and is steered by its buttons", async (t) => {
  const editor = await open(t, { name: "picture", sources: [FILE], vsix: places.vsix() });
  const raddle = new Raddle(editor);
  await editor.openFile(FILE);
  await raddle.explore(FILE, "int main(void)");
  await editor.lenses("✗ failed after").first().waitFor({ timeout: 120_000 });
  await editor.command("Raddle: Show Interleaving");
  const page = editor.webview();
  const press = (name) => page.getByRole("button", { name, exact: true }).click();
  const host = await editor.host();
  const { session, shown: failing } = await host.session("something shown", (s) => s.shown !== null);
  await until("the failing schedule", async () => (await raddle.schedule()) === failing.schedule);

  // A click on an operation is an instant for all faces; Enter goes to its line.
  const store = page.getByRole("option", { name: /stores counter/ }).first();
  await store.click();
  const selected = await host.session("the operation", (s) => s.shown.event !== failing.event);
  await editor.page.keyboard.press("Enter");
  await editor.statusItem(`Ln ${editor.lineOf(FILE, "atomic_store(")},`).waitFor();
  await press(`Open lost_update.c:${editor.lineOf(FILE, "assert(counter == 2)")}`);
  await editor.statusItem(`Ln ${editor.lineOf(FILE, "assert(counter == 2)")},`).waitFor();

  // Preemption 1, and there the thread that was preempted goes on.
  await press("Preemption 1");
  await host.session("the preemption", (s) => s.shown.event !== selected.shown.event);
  // T2 begins there, in the line of its first operation.
  const position = page.getByRole("button", { name: "Open the position of T2", exact: true });
  await position.filter({ hasText: `:${editor.lineOf(FILE, "atomic_load(")}` }).waitFor();
  await press("Run T1 next");
  const steered = await host.session("another execution", (s) => s.shown.steered);
  await until("it in the picture", async () => (await raddle.schedule()) === steered.shown.schedule);
  assert.notEqual(steered.shown.schedule, failing.schedule);
  await editor.screenshot("picture-1-steered");
  await press("Save this schedule");
  await page.getByText(`raddle replay ${FILE} lost_update ${steered.shown.schedule}`).first().waitFor();
  await press("Undo");
  await until("the failing schedule again", async () => (await raddle.schedule()) === failing.schedule);

  // What passes and is nearest, and back to what fails.
  await press("Show nearest passing");
  const passing = await host.session("what passes", (s) => s.shown.schedule !== failing.schedule);
  await until("it in the picture", async () => (await raddle.schedule()) === passing.shown.schedule);
  await page.getByText("✓ passes").waitFor();
  await page.getByText("no passing execution is nearer").waitFor();
  const [stores, loads] = ["atomic_store(", "atomic_load("].map((text) => editor.lineOf(FILE, text));
  await page.getByText(`T2 stores counter (:${stores}) before T1 loads it (:${loads})`).waitFor();
  await editor.screenshot("picture-2-passing");
  await press("Failing");
  await until("what fails again", async () => (await raddle.schedule()) === failing.schedule);
  assert.equal(await page.getByRole("button", { name: "Failing", exact: true }).getAttribute("aria-pressed"), "true");

  await press("Search here");
  const below = await host.session("a search below", (s) => s.session !== session && s.state === "done");
  assert.ok(below.below.startsWith("sync@"), below.below);
  await page.getByText("Explored", { exact: true }).waitFor();
  await editor.screenshot("picture-3-searched");
});
