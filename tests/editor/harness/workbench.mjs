// One workbench for one test: code-server, a headless browser that shows it, and a folder that is open in
// it. [`open`] starts them; `close` ends them and fails if anything still runs.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { CodeServer } from "./codeserver.mjs";
import { Editor } from "./editor.mjs";
import * as places from "./places.mjs";
import { Family } from "./processes.mjs";
import { project, scratch } from "./project.mjs";
import { Screen } from "./screen.mjs";
import { PATIENCE } from "./until.mjs";

const BROWSER = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"];
const QUIET = ["--disable-background-networking", "--disable-component-update"];
const VIEWPORT = { width: 1400, height: 900 };

/**
 * Opens copies of `sources` (paths in the repository) in a fresh workbench. Everything ends with the test
 * `t`; where the test failed, a screenshot and the logs are left. `payload` is given the server, `env` the
 * folder of the test; both say what to add. With `screen` there is one for windows.
 */
export async function open(t, { name, sources, vsix, settings, payload, env, screen }) {
  const family = new Family();
  const place = scratch();
  // Started as from a terminal: it keeps the PATH of this test and asks no login shell for another.
  const own = { XDG_RUNTIME_DIR: join(place.path, "run"), RADDLE_HOST_LINGER: "1", VSCODE_CLI: "1" };
  if (process.env.RADDLE_TEST_CACHE) own.RADDLE_CACHE = process.env.RADDLE_TEST_CACHE;
  mkdirSync(own.XDG_RUNTIME_DIR, { mode: 0o700 });
  const parts = { family, place, name };
  t.after(() => close(t, parts));

  if (screen) {
    parts.screen = await Screen.start(family);
    own.DISPLAY = parts.screen.display;
  }
  const folder = project(place.path, name, sources);
  parts.server = await CodeServer.start(family, place.path, { vsix, settings, env: { ...own, ...env?.({ scratch: place.path }) } });
  parts.browser = await chromium.launch({
    executablePath: places.chromium(),
    args: [...BROWSER, ...QUIET],
    // It keeps things in the user's folder; it gets one of its own.
    env: family.environment({ HOME: place.path }),
  });
  const page = await parts.browser.newPage({ viewport: VIEWPORT });
  page.setDefaultTimeout(PATIENCE);
  const { server } = parts;
  parts.editor = new Editor(page, { folder, family, server, screen: parts.screen, environment: own });
  await page.goto(parts.server.workspace(folder, payload?.(parts.server)));
  await page.locator(".monaco-workbench").waitFor();
  return parts.editor;
}

/** Ends what [`open`] began, in the order of a person who closes the browser and then the machine. */
async function close(t, { family, place, name, server, browser, editor, screen }) {
  if (!t.passed) {
    await editor?.screenshot(`${name}-failure`).catch(() => {});
    await screen?.screenshot(`${name}-failure-screen`).catch(() => {});
    if (server) console.log(server.logs());
  }
  editor?.hosts.forEach((host) => host.close());
  await browser?.close();
  server?.stop();
  screen?.stop();
  try {
    await family.gone();
  } finally {
    place.remove();
  }
}
