// What can be prioritised in a target, and what is.

import type { Focus, FocusState, TestsResult } from '../protocol';

/** Functions or variables. */
export type Kind = 'methods' | 'variables';

/** What the search is to turn to first. */
export type Chosen = Record<Kind, string[]>;

/** One function or variable. */
export interface Item {
  /** No other one of its kind has it. */
  id: string;
  kind: Kind;
  /** What the search knows it by. */
  name: string;
  /** What tells it apart from others of its name: where it is, how many schedule points it has. */
  detail: string;
  /** It has schedule points of its own, or is a variable: these come first. */
  first: boolean;
  /** Its file, relative to the target, and its line; absent for what only a lens named. */
  place?: { file: string; line: number };
  checked: boolean;
}

/** The choices of a workspace over the functions and variables of one target. */
export class FocusModel {
  private chosen: Chosen = { methods: [], variables: [] };
  private known: TestsResult | undefined;

  /** The target that is listed. */
  get target(): string | undefined {
    return this.known?.target;
  }

  /** What is prioritised. */
  get focus(): Chosen {
    return this.chosen;
  }

  /** Lists another target. */
  list(result: TestsResult | undefined): void {
    this.known = result;
  }

  /** What the host says is prioritised. */
  take(focus: Focus | Chosen): void {
    this.chosen = { methods: [...focus.methods], variables: [...focus.variables] };
  }

  /** The choice with some names added or taken away: what is to be sent. */
  with(changes: { kind: Kind; name: string; checked: boolean }[]): Chosen {
    const next: Chosen = { methods: [...this.chosen.methods], variables: [...this.chosen.variables] };
    for (const { kind, name, checked } of changes) {
      next[kind] = next[kind].filter(n => !same(n, name));
      if (checked) {
        next[kind].push(name);
      }
    }
    return next;
  }

  /** The items of a kind by name; what is prioritised but not listed stands at the end. */
  items(kind: Kind): Item[] {
    const listed = this.listed(kind);
    const others = this.chosen[kind].filter(name => !listed.some(item => same(item.name, name)));
    return numbered([
      ...listed.sort((a, b) => Number(b.first) - Number(a.first) || a.name.localeCompare(b.name)),
      ...others.map(name => ({ kind, name, detail: 'not in this target', first: false, checked: true })),
    ]);
  }

  private listed(kind: Kind): Omit<Item, 'id'>[] {
    const checked = (name: string) => this.chosen[kind].some(n => same(n, name));
    const place = (at: { file: string; line: number }) =>
      `${at.file.slice(at.file.lastIndexOf('/') + 1)}:${at.line}`;
    if (kind === 'methods') {
      return (this.known?.methods ?? []).map(m => ({
        kind,
        name: m.name,
        detail: `${place(m.location)} · ${m.points === 1 ? '1 point' : `${m.points} points`}`,
        place: m.location,
        first: m.points > 0,
        checked: checked(m.name),
      }));
    }
    return (this.known?.variables ?? []).map(v => ({
      kind,
      name: v.name,
      detail: v.within === '' ? place(v.location) : `${v.within} · ${place(v.location)}`,
      place: v.location,
      first: true,
      checked: checked(v.name),
    }));
  }
}

/** Names need not tell items apart, nor places: a static function of a header is one of many files. */
function numbered(items: Omit<Item, 'id'>[]): Item[] {
  const seen = new Map<string, number>();
  return items.map(item => {
    const known = `${item.kind} ${item.name} ${item.place?.file ?? ''}:${item.place?.line ?? 0}`;
    const before = seen.get(known) ?? 0;
    seen.set(known, before + 1);
    return { ...item, id: before === 0 ? known : `${known} ${before}` };
  });
}

/** Functions are named by the ends of their names: a file does not know the modules around it. */
function same(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short === long || long.endsWith(`::${short}`);
}

/** How the executions since the last change spread over the three levels. */
export function spread(state: FocusState): string {
  const none = state.methods.length + state.variables.length === 0;
  return none ? '' : `${state.high} high · ${state.medium} medium · ${state.low} low`;
}
