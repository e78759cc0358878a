// Runs inside the extension host of a real editor that has opened a folder with C and Rust
// samples: the extension through the editor's own API. A rig names this file's bundle
// (dist/test/host/index.js) as extensionTestsPath; the outcome is written to the file that
// RADDLE_HOST_TEST_RESULT names, as JSON.

import { writeFileSync } from 'node:fs';
import { cases } from './cases';

interface Outcome {
  name: string;
  passed: boolean;
  error?: string;
  milliseconds: number;
}

/** Called by the editor. */
export async function run(): Promise<void> {
  const outcomes: Outcome[] = [];
  for (const [name, body] of cases) {
    const began = Date.now();
    const outcome = await body().then(
      () => ({ passed: true }),
      (error: unknown) => ({
        passed: false,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
    );
    outcomes.push({ name, ...outcome, milliseconds: Date.now() - began });
  }
  const failed = outcomes.filter(o => !o.passed);
  const file = process.env['RADDLE_HOST_TEST_RESULT'];
  if (file !== undefined) {
    writeFileSync(file, JSON.stringify({ passed: failed.length === 0, outcomes }, undefined, 2));
  }
  if (failed.length > 0) {
    throw new Error(failed.map(o => `${o.name}: ${o.error ?? ''}`).join('\n'));
  }
}
