// What the extension and the page of the interleaving say to each other.

import type { Interleaving, Location, NearestPassing, SessionState, Then } from '../protocol';

/** What the page shows, but for the execution itself. */
export interface View {
  status: 'empty' | 'loading' | 'ready' | 'error';
  /** Why there is nothing to show. */
  error: string;
  /** The session, if the execution is one of a session's. */
  session: SessionState | null;
  target: string;
  test: string;
  schedule: string;
  /** The selected event. */
  event: number;
  /** Executions that were shown before can be gone back to. */
  canUndo: boolean;
  /** A debugger stands at the selected event. */
  debugging: boolean;
  /** What was last saved: the command that runs it. */
  saved: string;
  /** What passes and is nearest, where one of the two is shown. */
  nearest: NearestPassing | null;
  /** It is being looked for. */
  comparing: boolean;
}

/** From the extension. The execution is sent only when it is another one. */
export type ToPage = { type: 'view'; view: View } | { type: 'trace'; trace: Interleaving | null };

/** Buttons of the page that are commands of the extension. */
export type Action =
  | 'copy'
  | 'replay'
  | 'debug'
  | 'pause'
  | 'resume'
  | 'stop'
  | 'retry'
  | 'undo'
  | 'save'
  | 'default'
  | 'nearest'
  | 'failing';

/** From the page. */
export type FromPage =
  | { type: 'ready' }
  | { type: 'select'; event: number }
  | { type: 'open'; location: Location; focus: boolean }
  | { type: 'steer'; step: number; choice: string; then: Then }
  | { type: 'choose'; choice: string }
  | { type: 'action'; action: Action };
