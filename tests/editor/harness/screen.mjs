// A screen that nobody looks at, for windows: an X server in memory, keys and the mouse, and pictures.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import * as places from "./places.mjs";
import { PATIENCE, until } from "./until.mjs";

const run = promisify(execFile);

/** A running X server. */
export class Screen {
  constructor(child, display) {
    this.child = child;
    this.display = display;
  }

  /** Starts one, on the first display that is free. */
  static async start(family, size = "1400x900") {
    const child = family.start("Xvfb", ["-displayfd", "1", "-screen", "0", `${size}x24`, "-nolisten", "tcp", "-noreset"]);
    const number = await new Promise((resolve, reject) => {
      let said = "";
      child.once("error", reject);
      child.once("close", (status) => reject(new Error(`Xvfb ended with ${status}: ${said}`)));
      // The number and the end of its line come apart.
      let shown = "";
      child.stdout.on("data", (text) => /^\d+\n/.test((shown += text)) && resolve(Number(shown)));
      child.stderr.on("data", (text) => (said += text));
    });
    return new Screen(child, `:${number}`);
  }

  /** Waits for a window with this title, and gives its number. */
  window(title) {
    return until(`a window "${title}"`, async () => (await this.#windows(title))[0], { patience: PATIENCE });
  }

  /** Presses a key in a window. There is no window manager that would give it the focus. */
  async key(window, key) {
    await this.#xdotool("windowfocus", "--sync", window, "key", key);
  }

  /** Leaves a picture of the screen among the screenshots. */
  async screenshot(name) {
    await run("import", ["-window", "root", "-display", this.display, join(places.screenshots(), `${name}.png`)]);
  }

  /** Asks it to end; windows end with it. */
  stop() {
    this.child.kill("SIGTERM");
  }

  async #windows(title) {
    const found = await this.#xdotool("search", "--onlyvisible", "--name", title).catch(() => ({ stdout: "" }));
    return found.stdout.split("\n").filter(Boolean);
  }

  #xdotool(...args) {
    return run("xdotool", args, { env: { ...process.env, DISPLAY: this.display } });
  }
}
