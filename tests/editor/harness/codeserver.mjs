// code-server: the workbench and the extension host, on a free port of this machine, with folders of its
// own for settings and extensions.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workbench } from "./places.mjs";

// Quiet and the same every time: nothing is fetched, nothing pops up.
const SETTINGS = {
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.reduceMotion": "on",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "editor.cursorBlinking": "solid",
  "editor.minimap.enabled": false,
  "editor.hover.enabled": true,
  "git.enabled": false,
};

/** A running code-server. */
export class CodeServer {
  constructor(folder, url, child) {
    this.folder = folder;
    this.url = url;
    this.child = child;
  }

  /** Starts one in `folder`, with this extension installed, and waits until it listens. */
  static async start(family, folder, { vsix, settings = {}, env = {} }) {
    const user = join(folder, "user");
    mkdirSync(join(user, "User"), { recursive: true });
    writeFileSync(join(user, "User/settings.json"), JSON.stringify({ ...SETTINGS, ...settings }, null, 2));
    const run = (...args) => family.start(process.execPath, [...launch(folder), ...args], { env });
    if (vsix) await finished(run("--install-extension", vsix));
    const child = run(
      ...["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"],
      "--disable-getting-started-override",
    );
    return new CodeServer(folder, await address(child), child);
  }

  /** The address of the workbench with a folder open; `payload` is what extension-host tests need. */
  workspace(path, payload) {
    const query = new URLSearchParams({ folder: path });
    if (payload) query.set("payload", JSON.stringify(payload));
    return `${this.url}/?${query}`;
  }

  /** A file of this machine as the workbench names it. */
  remote(path) {
    return `vscode-remote://${new URL(this.url).host}${path}`;
  }

  /** The ends of the logs that the extension host and the extensions wrote. */
  logs() {
    const logs = join(this.folder, "user/logs");
    const named = readdirSync(logs, { recursive: true }).filter((name) => /exthost|output_/.test(name));
    return named
      .filter((name) => name.endsWith(".log"))
      .map((name) => `── ${name}\n${readFileSync(join(logs, name), "utf8").split("\n").slice(-40).join("\n")}`)
      .join("\n");
  }

  /** Asks it to end. */
  stop() {
    this.child.kill("SIGTERM");
  }
}

/** The arguments that every start has: the program, and folders of its own. */
function launch(folder) {
  const entry = join(workbench(), "node_modules/code-server/out/node/entry.js");
  const own = ["--user-data-dir", join(folder, "user"), "--extensions-dir", join(folder, "extensions")];
  // Without a file it would write one into the user's folder.
  return [entry, "--config", "/dev/null", ...own];
}

/** Waits for a program that is to succeed. */
function finished(child) {
  const said = collect(child);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => {
      if (status === 0) resolve();
      else reject(new Error(`code-server ended with ${status}:\n${said()}`));
    });
  });
}

/** The address that code-server says it listens on. */
function address(child) {
  const said = collect(child);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => reject(new Error(`code-server ended with ${status}:\n${said()}`)));
    child.stdout.on("data", () => {
      const found = /HTTP server listening on (http:\/\/[\d.:]+)/.exec(said());
      if (found) resolve(found[1]);
    });
  });
}

/** Collects what a program says, for the error that ends it. */
function collect(child) {
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => {
      said = (said + text).slice(-20_000);
    });
  }
  return () => said;
}
