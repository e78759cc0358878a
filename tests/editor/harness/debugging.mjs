// The debugger as the workbench shows it.

import { until } from "./until.mjs";

/** The debug session of an editor. */
export class Debugging {
  constructor(editor) {
    this.editor = editor;
    this.page = editor.page;
  }

  /** Waits until the session stands still at a line of a file: the top frame is marked there. */
  async stopped(patience = 60_000) {
    await this.page.locator(".debug-toolbar").waitFor({ timeout: patience });
    await this.page.locator(".debug-top-stack-frame-line").first().waitFor({ timeout: patience });
  }

  /** The threads, as `{name, state}` in the order of the Call Stack view. */
  async threads() {
    const labels = await this.#labels(".debug-call-stack");
    return labels.flatMap((label) => {
      const found = /^Thread (.+?) (Paused.*|Running)$/.exec(label);
      return found ? [{ name: found[1], state: found[2] }] : [];
    });
  }

  /** The frames in view, the innermost first, as `{name, line, file}`. */
  async frames() {
    const labels = await this.#labels(".debug-call-stack");
    return labels.flatMap((label) => {
      const found = /^Stack Frame (.+), line (\d+), (.+)$/.exec(label);
      return found ? [{ name: found[1], line: Number(found[2]), file: found[3] }] : [];
    });
  }

  /** The variables in view, as an object of names and values. */
  async variables() {
    const labels = await this.#labels(".debug-variables");
    const pairs = labels.map((label) => /^(.+?), value (.*)$/s.exec(label)).filter(Boolean);
    return Object.fromEntries(pairs.map(([, name, value]) => [name, value]));
  }

  /** Clicks the frame with this name, of the thread with that one, and waits until it is selected. */
  async select(thread, frame) {
    const rows = this.page.locator(".debug-call-stack .monaco-list-row");
    const head = rows.and(this.page.locator(`[aria-label^="Thread ${thread}"]`)).first();
    if ((await head.getAttribute("aria-expanded")) === "false") {
      await head.locator(".monaco-tl-twistie").click();
    }
    const below = rows.and(this.page.locator(`[aria-label^="Stack Frame ${frame}"]`)).first();
    await below.click();
    await this.page.locator(`.debug-call-stack .monaco-list-row.selected[aria-label^="Stack Frame ${frame}"]`).waitFor();
  }

  /** Clicks a button of the toolbar, by the beginning of its label. */
  async press(label) {
    await this.page.locator(`.debug-toolbar .action-label[aria-label^="${label}"]`).click();
  }

  /** Does something, and waits until what `frames` gives satisfies `there`. */
  async until(what, there) {
    return until(what, async () => {
      const frames = await this.frames();
      return frames.length > 0 && (await there(frames)) && frames;
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
