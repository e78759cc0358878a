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

const BROWSER = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"];
const QUIET = ["--disable-background-networking", "--disable-component-update"];
const VIEWPORT = { width: 1400, height: 900 };

/**
 * Opens copies of `sources` (paths in the repository) in a fresh workbench. Everything ends with the test
 * `t`; where the test failed, a screenshot and the logs are left. `payload` is given the server, `env` the
 * folder of the test; both say what to add.
 */
export async function open(t, { name, sources, vsix, settings, payload, env }) {
  const family = new Family();
  const place = scratch();
  const own = { XDG_RUNTIME_DIR: join(place.path, "run"), RADDLE_HOST_LINGER: "1" };
  if (process.env.RADDLE_TEST_CACHE) own.RADDLE_CACHE = process.env.RADDLE_TEST_CACHE;
  mkdirSync(own.XDG_RUNTIME_DIR, { mode: 0o700 });
  const parts = { family, place, name };
  t.after(() => close(t, parts));

  const folder = project(place.path, name, sources);
  parts.server = await CodeServer.start(family, place.path, { vsix, settings, env: { ...own, ...env?.({ scratch: place.path }) } });
  parts.browser = await chromium.launch({
    executablePath: places.chromium(),
    args: [...BROWSER, ...QUIET],
    env: family.environment(own),
  });
  const page = await parts.browser.newPage({ viewport: VIEWPORT });
  parts.editor = new Editor(page, { folder, family, server: parts.server, runtime: own.XDG_RUNTIME_DIR });
  await page.goto(parts.server.workspace(folder, payload?.(parts.server)));
  await page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
  return parts.editor;
}

/** Ends what [`open`] began, in the order of a person who closes the browser and then the machine. */
async function close(t, { family, place, name, server, browser, editor }) {
  if (!t.passed) {
    await editor?.screenshot(`${name}-failure`).catch(() => {});
    if (server) console.log(server.logs());
  }
  await browser?.close();
  server?.stop();
  try {
    await family.gone();
  } finally {
    place.remove();
  }
}
