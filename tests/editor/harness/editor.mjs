// What a person does in the workbench, and sees.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clickUntilGone, pressUntilShown } from "./click.mjs";
import * as places from "./places.mjs";
import { Host } from "./session.mjs";
import { PATIENCE, until } from "./until.mjs";

/** A page with the workbench, and a folder open in it. */
export class Editor {
  constructor(page, { folder, family, server, screen, environment }) {
    this.page = page;
    this.folder = folder;
    this.family = family;
    this.server = server;
    this.screen = screen;
    this.environment = environment;
    this.hosts = [];
  }

  /** The folder below which the workspace's host has its socket. */
  get runtime() {
    return this.environment.XDG_RUNTIME_DIR;
  }

  /** A client of the workspace's host, beside the editor, until the test ends. */
  async host() {
    const host = await Host.connect(this.runtime);
    this.hosts.push(host);
    return host;
  }

  /** Runs a command by its title, from the palette. */
  async command(title) {
    await this.#pick("F1", `>${title}`, title);
  }

  /** Opens a file of the folder, by its path in it, and waits until its text is shown. */
  async openFile(path) {
    const file = path.split("/").at(-1);
    await this.#pick("Control+P", path, file);
    await this.#group.locator(".tab.active", { hasText: file }).waitFor();
    await this.#group.locator(".editor-instance .view-line").first().waitFor();
  }

  /** Moves the cursor to the line that holds `text`, in the file `path` that is open, and shows it. */
  async goTo(path, text) {
    const line = this.lineOf(path, text);
    await this.#pick("Control+G", `:${line}`, `line ${line}`);
    await this.statusItem(`Ln ${line},`).waitFor();
    return line;
  }

  /** The text of a file of the folder, as it is on disk. */
  read(path) {
    return readFileSync(join(this.folder, path), "utf8");
  }

  /** The number of the line of a file that holds `text`. */
  lineOf(path, text) {
    const lines = this.read(path).split("\n");
    const found = lines.flatMap((line, index) => (line.includes(text) ? [index + 1] : []));
    if (found.length === 0) throw new Error(`${path} has no line with ${text}`);
    return found[0];
  }

  /** What rows of a list are to those who cannot see them. */
  labels(rows) {
    return rows.evaluateAll((all) => all.map((row) => row.getAttribute("aria-label") ?? ""));
  }

  /** An entry of the status bar. */
  statusItem(text) {
    return this.page.locator(".statusbar-item", { hasText: text }).first();
  }

  /** The CodeLens entries with this text that are in view. */
  lenses(text) {
    return this.page.locator(".codelens-decoration a", { hasText: text });
  }

  /** The CodeLens entry with this text over the line of the cursor. */
  async lensHere(text) {
    const cursor = this.#group.locator(".editor-instance .cursor").first();
    return until(`a lens "${text}" over the cursor`, async () => {
      const below = (await cursor.boundingBox())?.y ?? 0;
      const found = await this.lenses(text).all();
      const above = await Promise.all(found.map(async (lens) => below - ((await lens.boundingBox())?.y ?? Infinity)));
      const nearest = above.findIndex((distance) => distance > 0 && distance < 40);
      return found[nearest];
    });
  }

  /**
   * Clicks the CodeLens entry with this text over the line of the cursor, until it is seen to have done
   * something: the editor loses a click on an entry that it draws anew at that moment.
   */
  async clickLens(text, done) {
    for (let tries = 1; ; tries++) {
      await (await this.lensHere(text)).click();
      try {
        return await until(`what a click on "${text}" does`, done, { patience: tries < 5 ? 5_000 : PATIENCE });
      } catch (error) {
        if (tries === 5) throw error;
      }
    }
  }

  /**
   * Notes every text that elements of this kind show from now on, however short; gives a function that says
   * which there have been.
   */
  async notes(selector) {
    const key = `notes of ${selector}`;
    await this.page.evaluate(
      ([key, selector]) => {
        const seen = (window[key] = new Set());
        const look = () => document.querySelectorAll(selector).forEach((element) => seen.add(element.innerText.trim()));
        const options = { subtree: true, childList: true, characterData: true };
        new MutationObserver(look).observe(document.body, options);
      },
      [key, selector],
    );
    return () => this.page.evaluate((key) => [...window[key]], key);
  }

  /** A notification with this text. */
  notification(text) {
    return this.page.locator(".notification-list-item", { hasText: text }).first();
  }

  /** The rows of the Problems view with this text. */
  async problems(text) {
    await this.command("Problems: Focus on Problems View");
    return this.page.locator(".markers-panel .monaco-list-row", { hasText: text });
  }

  /** The document inside of the webview that is in view. */
  webview() {
    return this.page.frameLocator("iframe.webview.ready").frameLocator("#active-frame");
  }

  /** Replaces text in the file that is open, as a person would, and saves it. */
  async replace(path, from, to) {
    const before = this.read(path);
    if (before.split(from).length !== 2) throw new Error(`${path} does not have exactly one ${from}`);
    const { page } = this;
    await page.keyboard.press("Control+H");
    const widget = page.locator(".find-widget.visible.replaceToggled");
    await widget.locator(".find-part textarea").fill(from);
    await widget.locator(".replace-part textarea").fill(to);
    await widget.locator(".matchesCount", { hasText: "1 of 1" }).waitFor();
    await page.keyboard.press("Control+Alt+Enter");
    await widget.locator(".codicon-widget-close").click();
    await page.keyboard.press("Control+S");
    await until(`${path} to be saved`, () => this.read(path) === before.replace(from, to));
  }

  /** Leaves a picture of the whole window among the screenshots, and gives its path. */
  async screenshot(name) {
    const path = join(places.screenshots(), `${name}.png`);
    await this.page.screenshot({ path });
    return path;
  }

  /** The group of editors that has the focus. */
  get #group() {
    return this.page.locator(".editor-group-container.active");
  }

  /** Opens the quick input with `key`, types into it, and takes the entry with this label. */
  async #pick(key, typed, label) {
    const { page } = this;
    const input = page.locator(".quick-input-widget input[type=text]");
    await pressUntilShown(page, key, input);
    await input.fill(typed);
    const entry = page.locator(".quick-input-list .monaco-list-row", { hasText: label }).first();
    await entry.waitFor();
    await clickUntilGone(entry, input);
  }
}
