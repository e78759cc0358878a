// Bundles the extension, the page of the interleaving, and, with --tests, the tests.
import { build } from 'esbuild';
import { readdirSync, rmSync } from 'node:fs';

const tests = process.argv.includes('--tests');
const files = folder =>
  readdirSync(folder)
    .filter(f => f.endsWith('.test.ts'))
    .map(f => `${folder}/${f}`);

const node = { bundle: true, platform: 'node', target: 'node20', format: 'cjs', logLevel: 'warning' };
const page = { bundle: true, platform: 'browser', target: 'es2022', logLevel: 'warning' };

rmSync('dist', { recursive: true, force: true });
await build({
  ...node,
  entryPoints: ['src/extension.ts'],
  outdir: 'dist',
  external: ['vscode'],
  sourcemap: true,
});
await build({
  ...page,
  format: 'iife',
  entryPoints: { interleaving: 'src/interleaving/view/main.ts' },
  outdir: 'dist',
  sourcemap: 'linked',
});
// Runs inside the extension host: built always, since it is what a rig loads from the folder.
await build({
  ...node,
  entryPoints: ['test/host/index.ts'],
  outfile: 'dist/test/host/index.js',
  external: ['vscode'],
});
if (tests) {
  await build({ ...node, entryPoints: files('test/unit'), outdir: 'dist/test/unit', sourcemap: 'inline' });
}
