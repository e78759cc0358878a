// Makes the .vsix: builds, puts the binaries into bin/, packs.
// RADDLE_BIN names the raddle to carry (default: ../target/release/raddle); raddle-gui is taken
// from beside it, where there is one. The first argument is the file to write.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
process.chdir(here);

const raddle = process.env.RADDLE_BIN ?? join(root, 'target/release/raddle');
if (!existsSync(raddle)) {
  console.error(
    `package: there is no ${raddle}. Build it with cargo build --release, or name one in RADDLE_BIN.`,
  );
  process.exit(2);
}

rmSync('bin', { recursive: true, force: true });
mkdirSync('bin');
for (const [from, name] of [
  [raddle, 'raddle'],
  [join(dirname(raddle), 'raddle-gui'), 'raddle-gui'],
]) {
  if (existsSync(from)) {
    copyFileSync(from, join('bin', name));
    chmodSync(join('bin', name), 0o755);
  }
}
for (const licence of ['LICENSE-MIT', 'LICENSE-APACHE']) {
  cpSync(join(root, licence), `${licence}.txt`);
}

const run = (program, ...args) => execFileSync(program, args, { stdio: 'inherit' });
run(process.execPath, 'esbuild.mjs');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const out = process.argv[2] ?? `raddle-${version}.vsix`;
run(
  'node_modules/.bin/vsce',
  'package',
  '--no-dependencies',
  '--allow-missing-repository',
  '--skip-license',
  '-o',
  out,
);
