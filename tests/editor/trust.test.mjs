// A folder that the user has not said they trust: its tests are shown, none of its code is run.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as places from "./harness/places.mjs";
import { open } from "./harness/workbench.mjs";

const FILE = "samples/c/lost_update.c";
const RESTRICTED = {
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
};

test("nothing is built or run before the folder is trusted", async (t) => {
  const editor = await open(t, { name: "trust", sources: [FILE], vsix: places.vsix(), settings: RESTRICTED });
  await editor.openFile(FILE);
  const asks = editor.notification("Exploring builds and runs the code of this workspace, which you have not");
  await editor.goTo(FILE, "int main(void)");
  await editor.clickLens("Explore interleavings", async () => (await asks.count()) > 0);
  await asks.waitFor();
  await editor.goTo(FILE, "static void *increment(");
  for (const [command, what] of [
    ["Show Interleaving", "Showing an execution"],
    ["Open the Explorer Window", "The explorer"],
    ["Prioritise the Function at the Cursor", "Prioritising"],
  ]) {
    await editor.command(`Raddle: ${command}`);
    await editor.notification(`${what} builds and runs the code`).waitFor();
  }
  // Debugging the editor itself asks about.
  await editor.command("Raddle: Debug the Shown Schedule");
  const asked = editor.page.locator(".monaco-dialog-box", { hasText: "Debugging executes build tasks and program code" });
  await asked.getByRole("button", { name: "Cancel" }).click();
  await editor.command("View: Show Raddle");
  await editor.screenshot("trust-restricted");
  const commands = editor.family.members().map(({ command }) => /\/bin\/raddle (\w+)/.exec(command)?.[1]);
  assert.deepEqual(commands.filter(Boolean), ["lsp"]);
});
