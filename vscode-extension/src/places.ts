// Files as the server names them, found on the disk.

import { existsSync } from 'node:fs';
import * as path from 'node:path';

/** The folder that a target's files are relative to. */
export function folderOf(root: string, target: string): string {
  const whole = path.resolve(root, target);
  return /\.(toml|c|cc|cpp|cxx|c\+\+)$/i.test(whole) ? path.dirname(whole) : whole;
}

/** The absolute path of a file that a listing of a target names; absent if there is no such file. */
export function locate(
  root: string,
  target: string,
  file: string,
  exists: (file: string) => boolean = existsSync,
): string | undefined {
  const places = [path.resolve(folderOf(root, target), file), path.resolve(root, file)];
  return places.find(exists);
}

/** A file below a folder that is known by another name, by the name that is in use. */
export function renamed(file: string, folder: string, real: (folder: string) => string): string {
  try {
    const relative = path.relative(real(folder), file);
    const inside = relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
    return inside ? path.join(folder, relative) : file;
  } catch {
    // A folder that is gone has no other name.
    return file;
  }
}
