// What stands at the cursor: the server's code lenses say where the tests and functions of a file
// are, so the extension needs no parser and cannot disagree with it.

import * as vscode from 'vscode';
import type { CodeLens } from 'vscode-languageserver-protocol';
import { around, type Extent } from './around';
import type { Location } from './protocol';
import type { Server } from './server';

/** What the lens over a test carries. */
export interface Explore {
  /** As on the command line. */
  target: string;
  /** Where the test is written. */
  at?: Location;
  /** Its name, as its file alone has it. */
  test?: string;
  /** Its document. */
  uri?: string;
  /** What it is called in its file. */
  label?: string;
}

/** What the lens over a function carries. */
export interface Prioritise {
  /** Its qualified name. */
  method: string;
}

const EXPLORE = 'raddle.explore';
/** Stands over a test while it is being explored. */
const STOP = 'raddle.stop';
const PRIORITISE = ['raddle.prioritize', 'raddle.unprioritize'];

/** The test that the cursor is in: on the line of its lens, or in its body. */
export async function testAtCursor(server: Server): Promise<Explore | undefined> {
  const found = await atCursor(server, [EXPLORE, STOP]);
  return isExplore(found) ? found : undefined;
}

/** The session that explores the test that the cursor is in. */
export async function exploredAtCursor(server: Server): Promise<number | undefined> {
  const found = (await atCursor(server, [EXPLORE, STOP])) as { session?: number } | undefined;
  return found?.session;
}

/** The function that the cursor is in. */
export async function functionAtCursor(server: Server): Promise<Prioritise | undefined> {
  return atCursor(server, PRIORITISE) as Promise<Prioritise | undefined>;
}

/** What a file's tests belong to; absent for a file without tests. */
export async function targetOf(server: Server, document: vscode.TextDocument): Promise<string | undefined> {
  for (const lens of await lenses(server, document)) {
    const argument: unknown = lens.command?.arguments?.[0];
    if (lens.command?.command === EXPLORE && isExplore(argument)) {
      return argument.target;
    }
  }
  return undefined;
}

/** Whether a command was given a test. */
export function isExplore(argument: unknown): argument is Explore {
  return typeof (argument as Explore | undefined)?.target === 'string';
}

async function atCursor(server: Server, commands: string[]): Promise<unknown> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return undefined;
  }
  const found = (await lenses(server, editor.document))
    .filter(lens => commands.includes(lens.command?.command ?? ''))
    .map(extent);
  return around(found, editor.selection.active.line)?.argument;
}

/** What a lens is about, with its lines: the argument counts from 1. */
function extent(lens: CodeLens): Extent & { argument: unknown } {
  const argument: unknown = lens.command?.arguments?.[0];
  const end = (argument as { end?: number } | undefined)?.end;
  return { line: lens.range.start.line, ...(end === undefined ? {} : { last: end - 1 }), argument };
}

async function lenses(server: Server, document: vscode.TextDocument): Promise<CodeLens[]> {
  if (!['rust', 'c', 'cpp'].includes(document.languageId) || document.uri.scheme !== 'file') {
    return [];
  }
  const params = { textDocument: { uri: document.uri.toString() } };
  return (await server.request<CodeLens[] | null>('textDocument/codeLens', params)) ?? [];
}
