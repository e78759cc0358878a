// The positions of all threads in the sources: the line of each thread's next operation is tinted in
// its colour and tagged T1, T2.

import * as vscode from 'vscode';
import type { ThreadAt } from './instant';

/** Colours repeat after so many threads. */
export const COLOURS = 8;

/** The decorations in all visible editors. */
export class Positions implements vscode.Disposable {
  private readonly lines: vscode.TextEditorDecorationType[] = [];
  private readonly tags: vscode.TextEditorDecorationType[] = [];
  private readonly registered: vscode.Disposable;
  private threads: ThreadAt[] = [];

  constructor(private readonly named: (file: string) => string) {
    for (let i = 0; i < COLOURS; i++) {
      const colour = new vscode.ThemeColor(`raddle.thread${i}`);
      this.lines.push(
        vscode.window.createTextEditorDecorationType({
          isWholeLine: true,
          borderColor: colour,
          borderStyle: 'solid',
          borderWidth: '0 0 0 3px',
          overviewRulerColor: colour,
          overviewRulerLane: vscode.OverviewRulerLane.Left,
        }),
      );
      this.tags.push(
        vscode.window.createTextEditorDecorationType({
          after: {
            color: new vscode.ThemeColor('editor.background'),
            backgroundColor: colour,
            margin: '0 0 0 1.5em',
            fontWeight: 'bold',
            // The only way to give a tag its shape: attachments have no padding or radius.
            textDecoration: 'none; padding: 0 0.5em; border-radius: 3px; font-size: 0.85em',
          },
        }),
      );
    }
    this.registered = vscode.window.onDidChangeVisibleTextEditors(() => this.draw());
  }

  /** Shows these threads; none of them takes all marks away. */
  set(threads: ThreadAt[]): void {
    this.threads = threads.filter(t => t.location !== null && t.standing !== 'unborn');
    this.draw();
  }

  dispose(): void {
    vscode.Disposable.from(this.registered, ...this.lines, ...this.tags).dispose();
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const here = this.threads.filter(
        t => t.location !== null && this.named(t.location.file) === editor.document.uri.fsPath,
      );
      for (let colour = 0; colour < COLOURS; colour++) {
        const marks = here
          .filter(t => t.thread % COLOURS === colour)
          .map(t => mark(t, editor.document))
          .filter(m => m !== undefined);
        const [line, tag] = [this.lines[colour], this.tags[colour]];
        if (line !== undefined && tag !== undefined) {
          editor.setDecorations(
            line,
            marks.map(m => m.range),
          );
          editor.setDecorations(tag, marks);
        }
      }
    }
  }
}

function mark(t: ThreadAt, document: vscode.TextDocument): vscode.DecorationOptions | undefined {
  const line = (t.location?.line ?? 0) - 1;
  if (line < 0 || line >= document.lineCount) {
    return undefined;
  }
  return {
    range: document.lineAt(line).range,
    // A plain string would be taken for Markdown; names of threads and objects are the program's.
    hoverMessage: new vscode.MarkdownString().appendText(`T${t.thread} ${t.name}: ${t.text}`),
    renderOptions: { after: { contentText: `T${t.thread}` } },
  };
}
