// What stands around a line: the innermost of what begins at or above it and has not ended.

/** Something with a first and perhaps a last line, both from 0. */
export interface Extent {
  line: number;
  /** Absent where only its first line is known. */
  last?: number;
}

/** The innermost that the line is in. */
export function around<T extends Extent>(all: T[], line: number): T | undefined {
  return all
    .filter(one => one.line <= line && line <= (one.last ?? one.line))
    .sort((a, b) => a.line - b.line)
    .at(-1);
}
