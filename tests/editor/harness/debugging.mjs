// The debugger as the workbench shows it.

import { PATIENCE, until } from "./until.mjs";

/** The debug session of an editor. */
export class Debugging {
  constructor(editor) {
    this.editor = editor;
    this.page = editor.page;
  }

  /** Waits until the session stands still at a line of a file: the top frame is marked there. */
  async stopped(patience = PATIENCE) {
    await this.page.locator(".debug-toolbar").waitFor({ timeout: patience });
    await this.page.locator(".debug-top-stack-frame-line").first().waitFor({ timeout: patience });
  }

  /** The threads, as `{name, state}` in the order of the Call Stack view, once there are so many. */
  async threads(count) {
    const rows = this.page.locator(".debug-call-stack .thread");
    await until(`${count} threads`, async () => (await rows.count()) === count);
    return rows.evaluateAll((all) =>
      all.map((row) => ({
        name: row.querySelector(".name")?.textContent?.trim() ?? "",
        state: row.querySelector(".state")?.textContent?.trim() ?? "",
      })),
    );
  }

  /** The variables in view, as an object of names and values. */
  async variables() {
    const labels = await this.#labels(".debug-variables");
    const pairs = labels.map((label) => /^(.+?), value (.*)$/s.exec(label)).filter(Boolean);
    return Object.fromEntries(pairs.map(([, name, value]) => [name, value]));
  }

  /** Waits until a thread's state is this one. */
  async state(thread, pattern) {
    const states = this.page.locator(`.debug-call-stack .monaco-list-row[aria-label^="Thread ${thread}"] .state`);
    await states.filter({ hasText: pattern }).first().waitFor({ timeout: PATIENCE });
  }

  /** Selects the innermost frame of a thread, which shows its variables, and gives `{name, line, file}`. */
  async select(thread) {
    const row = this.page.locator(`.debug-call-stack .monaco-list-row[aria-label^="Thread ${thread}"]`);
    if ((await row.getAttribute("aria-expanded")) === "false") await row.locator(".monaco-tl-twistie").click();
    return until(`the frames of ${thread}`, async () => {
      const below = await this.#innermost(thread);
      if (!below) return false;
      // A step may put another row in its place meanwhile.
      const innermost = this.page.locator(`.debug-call-stack .monaco-list-row[aria-label="${below}"]`).first();
      const clicked = await innermost.click({ timeout: 2_000 }).catch(() => false);
      return clicked !== false && frame(below);
    });
  }

  /** The label of a thread's innermost frame, if its frames are in view. */
  async #innermost(thread) {
    const labels = await this.#labels(".debug-call-stack");
    const head = labels.findIndex((label) => label.startsWith(`Thread ${thread}`));
    return frame(labels[head + 1] ?? "") && labels[head + 1];
  }

  /** Clicks a button of the toolbar, by the beginning of its label. */
  async press(label) {
    await this.page.locator(`.debug-toolbar .action-label[aria-label^="${label}"]`).click();
  }

  /** Waits until a thread's innermost frame is at this line of a file, with these variables among its own. */
  async at(thread, file, line, variables = {}) {
    let here;
    // What the view shows may be the state before the last step.
    const stands = async () => ((here = await this.select(thread)), here.file === file && here.line === line);
    await until(`${thread} at ${file}:${line}`, stands).catch((error) => {
      throw new Error(`${error.message}: it stands at ${here?.file}:${here?.line}, in ${here?.name}`);
    });
    const wanted = Object.entries(variables);
    let seen = {};
    const shown = () => wanted.every(([name, value]) => seen[name]?.match(value));
    const look = async () => ((seen = await this.variables()), shown());
    await until(`variables of ${thread}`, look).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(seen)} for ${wanted.join("; ")}`);
    });
  }

  /** Waits until there is no session. */
  async ended() {
    await this.page.locator(".debug-toolbar").waitFor({ state: "hidden" });
  }

  #labels(view) {
    const rows = this.page.locator(`${view} .monaco-list-row`);
    return rows.evaluateAll((all) => all.map((row) => row.getAttribute("aria-label") ?? ""));
  }
}

/** What the label of a row of the Call Stack view says of a frame. */
function frame(label) {
  const found = /^Stack Frame (.+), line (\d+), (.+)$/.exec(label);
  return found && { name: found[1], line: Number(found[2]), file: found[3] };
}
