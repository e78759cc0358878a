// Runs inside the extension host of a real editor that has opened a folder with a C sample: the
// extension through the editor's own API. A rig names this file's bundle (dist/test/host/index.js)
// as extensionTestsPath; what came of each case is appended as a line of JSON to the file that
// RADDLE_TEST_RESULTS names, `{"done": true}` at the end.

import { appendFileSync } from 'node:fs';
import { cases } from './cases';

/** Called by the editor. */
export async function run(): Promise<void> {
  const failed: string[] = [];
  for (const [test, body] of cases) {
    const error = await body().then(() => null, words);
    tell({ test, error });
    if (error !== null) {
      failed.push(`${test}: ${error}`);
    }
  }
  tell({ done: true });
  if (failed.length > 0) {
    throw new Error(failed.join('\n'));
  }
}

function words(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function tell(line: object): void {
  const file = process.env['RADDLE_TEST_RESULTS'];
  if (file !== undefined) {
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  }
}
