// The whole way of a failing test, as a person goes it in the editor: explore it from its lens, read the
// failure and its preemptions in the source, look at the interleaving, step through the schedule forwards and
// back, mend the program, and see it pass. In Rust and in C.

import assert from "node:assert/strict";
import { basename } from "node:path";
import { test } from "node:test";
import { Debugging } from "./harness/debugging.mjs";
import * as places from "./harness/places.mjs";
import { Raddle } from "./harness/raddle.mjs";
import { until } from "./harness/until.mjs";
import { open } from "./harness/workbench.mjs";

const [LIB, AUDIT] = ["src/lib.rs", "tests/audit.rs"];
const SPLIT = "samples/c/split_lock.c";

const BANK = {
  name: "bank",
  sources: "samples/rust/bank",
  file: AUDIT,
  line: "fn audit_sees_all_money",
  failure: "the audit misses money",
  failsAt: 'assert_eq!(bank.total(), 100, "the audit misses money")',
  lanes: ["T0", "T1"],
  preemptions: 2,
  stops: {
    runs: "T1",
    preempted: [
      { thread: "T0", file: LIB, text: "self.accounts[account].lock()", variables: { account: /^0$/ } },
      { thread: "T1", file: AUDIT, text: "thread::spawn(move", variables: { transfer: /<bank::Bank::transfer>/ } },
    ],
    steps: [],
    stepped: [],
    failed: [
      { thread: "T0", file: AUDIT, text: '100, "the audit misses money"' },
      { thread: "T1", file: LIB, text: "self.accounts[account].lock()", variables: { account: /^1$/ } },
    ],
    back: [{ thread: "T0", file: LIB, text: "guards.iter().map", below: 1 }],
  },
  fix: {
    file: LIB,
    from: "withdraw(&mut self.lock(from), amount)?;\n        *self.lock(to) += amount;\n        Ok(())",
    to: "self.transfer_locked(from, to, amount)",
  },
};

const SPLIT_LOCK = {
  name: "split_lock",
  sources: [SPLIT],
  file: SPLIT,
  line: "int main(void)",
  failure: "resource == seen",
  failsAt: "assert(resource == seen)",
  lanes: ["T0", "T1", "T2"],
  preemptions: 1,
  stops: {
    runs: "T2",
    preempted: [
      { thread: "T1", file: SPLIT, text: "assert(resource == seen)", below: -1, variables: { seen: /^0$/ } },
      { thread: "T2", file: SPLIT, text: "static void *increment", below: 1 },
    ],
    // Of the thread that was looked at last.
    steps: ["pthread_mutex_lock(&lock)", "int seen = resource"],
    stepped: [
      { thread: "T2", file: SPLIT, text: "int seen = resource" },
      { thread: "T1", file: SPLIT, text: "assert(resource == seen)", below: -1, variables: { seen: /^0$/ } },
    ],
    failed: [{ thread: "T1", file: SPLIT, text: "assert(resource == seen)", variables: { seen: /^0$/ } }],
    back: [{ thread: "T1", file: SPLIT, text: "assert(resource == seen)", variables: { seen: /^0$/ } }],
  },
  fix: {
    file: SPLIT,
    from: "    pthread_mutex_unlock(&lock);\n\n    pthread_mutex_lock(&lock);\n",
    to: "",
  },
};

for (const story of [BANK, SPLIT_LOCK]) {
  test(`${story.name}: explore, look, debug, mend, explore`, async (t) => {
    const editor = await open(t, { ...story, vsix: places.vsix() });
    const raddle = new Raddle(editor);
    await explore(raddle, story);
    await diagnostic(editor, story);
    await interleaving(raddle, story);
    await debug(editor, story);
    await mend(editor, raddle, story);
  });
}

/** Clicks the lens, and sees progress. */
async function explore(raddle, { name, file, line }) {
  const { editor } = raddle;
  await editor.openFile(file);
  const said = await editor.notes(".codelens-decoration, .notification-list-item, .statusbar-item");
  await raddle.explore(file, line);
  await until("progress", async () => (await said()).some((text) => /building|\d+ executions?/.test(text)));
  await editor.lenses("✗ failed after").first().waitFor({ timeout: 120_000 });
  await editor.screenshot(`${name}-1-explored`);
}

/** The failing assertion is an error in the source, each preemption beside it. */
async function diagnostic(editor, { name, file, failure, failsAt, preemptions }) {
  const rows = await editor.problems("");
  const line = editor.lineOf(file, failsAt);
  const error = await until("the failure among the problems", async () =>
    (await editor.labels(rows)).find((label) => label.startsWith("Error") && label.includes(failure)),
  );
  assert.match(error, new RegExp(`at line ${line} `), error);
  const related = (await editor.labels(rows)).filter((label) => /preempted/.test(label));
  assert.equal(related.length, preemptions, related.join("\n"));
  await rows.filter({ hasText: failure }).first().click();
  await editor.statusItem(`Ln ${line},`).waitFor();
  await editor.page.locator(".squiggly-error").first().waitFor();
  await editor.screenshot(`${name}-2-problem`);
}

/** The picture has a lane for each thread, and each preemption with its number. */
async function interleaving(raddle, { name, lanes, preemptions }) {
  await raddle.editor.command("Raddle: Show Interleaving");
  assert.deepEqual(await raddle.lanes(lanes.length), lanes);
  const numbers = Array.from({ length: preemptions }, (_, i) => String(i + 1));
  assert.deepEqual(await raddle.preemptions(preemptions), numbers);
  await raddle.editor.screenshot(`${name}-3-interleaving`);
}

/** From the first preemption, where each thread has its own variables, to the failure; a step back; the end. */
async function debug(editor, { name, file, lanes, failure, stops }) {
  const debugging = new Debugging(editor);
  const stand = async (threads) => {
    for (const { thread, file: here, text, below = 0, variables } of threads) {
      await debugging.at(thread, basename(here), editor.lineOf(here, text) + below, variables);
    }
  };
  await editor.command("Raddle: Debug the Shown Schedule");
  await debugging.state(stops.runs, "preemption 1");
  assert.deepEqual((await debugging.threads(lanes.length)).map((t) => t.name.split(" ")[0]), lanes);
  await stand(stops.preempted);
  await editor.screenshot(`${name}-4-first-preemption`);

  for (const step of stops.steps) {
    await debugging.press("Step Over");
    await editor.statusItem(`Ln ${editor.lineOf(file, step)},`).waitFor();
  }
  await stand(stops.stepped);
  await debugging.press("Continue");
  await debugging.state(stops.failed[0].thread, "fails");
  await editor.page.locator(".exception-widget", { hasText: failure }).waitFor();
  await stand(stops.failed);
  await editor.screenshot(`${name}-5-failure`);

  await debugging.press("Step Back");
  await debugging.state(stops.failed[0].thread, "Paused on step");
  await stand(stops.back);
  await editor.screenshot(`${name}-6-step-back`);
  await debugging.press("Stop");
  await debugging.ended();
  const debuggers = () => editor.family.members().filter(({ command }) => /gdb| dap\b/.test(command));
  await until("the debugger's processes to end", () => debuggers().length === 0);
}

/** With the mistake mended, the same test passes. */
async function mend(editor, raddle, { name, file, line, fix }) {
  await editor.openFile(fix.file);
  await editor.replace(fix.file, fix.from, fix.to);
  await editor.openFile(file);
  await raddle.exploreAgain(file, line);
  await editor.lenses("✓ passed").first().waitFor({ timeout: 120_000 });
  const rows = await editor.problems("");
  await until("no problem to be left", async () => (await rows.count()) === 0);
  await editor.screenshot(`${name}-7-passed`);
}
