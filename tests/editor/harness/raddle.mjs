// Raddle's own parts of the workbench.

import { until } from "./until.mjs";

/** What the extension adds to an editor. */
export class Raddle {
  constructor(editor) {
    this.editor = editor;
  }

  /** Clicks the lens over the test at the line with `text`, in the file that is open. */
  async explore(file, text) {
    await this.editor.goTo(file, text);
    const lenses = () => this.editor.lenses("xplor").allTextContents();
    const before = (await this.editor.lensHere("Explore interleavings")) && (await lenses()).join();
    await this.editor.clickLens("Explore interleavings", async () => (await lenses()).join() !== before);
  }

  /** Explores the test at the line with `text`, in the file that is open, by the command. */
  async exploreAgain(file, text) {
    await this.editor.goTo(file, text);
    await this.editor.command("Raddle: Explore Interleavings of the Test at the Cursor");
  }

  /** The rows of the view of what can be prioritised, with this text. */
  focusRows(text) {
    return this.editor.page.locator('[aria-label="Focus"] .monaco-list-row', { hasText: text }).first();
  }

  /** The rows of the view of sessions with this text. */
  sessionRows(text) {
    return this.editor.page.locator('[aria-label="Sessions"] .monaco-list-row', { hasText: text }).first();
  }

  /** Presses a button that a row shows while the pointer is on it. */
  async rowAction(row, label) {
    await row.hover();
    await row.locator(`.action-label[aria-label^="${label}"]`).click();
  }

  /** The threads of the picture's lanes, from left to right, once there are so many. */
  lanes(count) {
    return this.#texts(".lane-name b", count);
  }

  /** The numbers of the picture's preemptions, once there are so many. */
  preemptions(count) {
    return this.#texts("text.number", count);
  }

  /** The schedule that the picture says it shows; nothing while there is none. */
  async schedule() {
    const shown = this.editor.webview().locator(".schedule code");
    return (await shown.count()) === 1 ? (await shown.innerText()).trim() : undefined;
  }

  async #texts(selector, count) {
    const found = this.editor.webview().locator(selector);
    await until(`${count} of ${selector} in the picture`, async () => (await found.count()) === count);
    return (await found.allTextContents()).map((text) => text.trim());
  }
}
