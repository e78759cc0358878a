// Words of programs under test, where the editor would read more into them than words.

/** Notifications make links, those that run commands too, of `[text](address)`: not of what a program said. */
export function unlinked(text: string): string {
  return text.replaceAll('](', '] (');
}
