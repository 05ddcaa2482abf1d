import { useCallback, useMemo } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { useDraft as useAccountDraft } from '#platform/web/app/drafts.ts';
import { toClock } from '../domain/clockTime.ts';
import { NEW_SLOT, type TimeSpan } from '../domain/slot.ts';
import { toHex, type PlannedSlot } from './planned.ts';

const FIELDS: readonly (keyof Fields)[] = ['name', 'start', 'end', 'status', 'description', 'colour'];

/** Parses a stored draft; invalid fields are left out. */
export function parseEdits(text: string): Partial<Fields> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {};
  }
  if (typeof value !== 'object' || value === null) return {};
  const stored = new Map<string, unknown>(Object.entries(value));
  return Object.fromEntries(
    FIELDS.flatMap((field) => (typeof stored.get(field) === 'string' ? [[field, stored.get(field)]] : [])),
  );
}

/** Fields of the editor as typed. */
export interface Fields {
  readonly name: string;
  readonly start: string;
  readonly end: string;
  readonly status: string;
  readonly description: string;
  /** `#rrggbb`. */
  readonly colour: string;
}

/** Colours offered first. */
export const SWATCHES = ['#1f8fb2', '#5b4bd4', '#c05299', '#c2413b', '#c98a1b', '#2e9e5b', '#666673'] as const;

export function toFields(slot: PlannedSlot): Fields {
  return {
    name: slot.name,
    start: toClock(slot.start),
    end: toClock(slot.end),
    status: slot.status,
    description: slot.description,
    colour: toHex(slot.colour),
  };
}

export function newFields({ start, end }: TimeSpan = NEW_SLOT): Fields {
  return {
    name: '',
    start: toClock(start),
    end: toClock(end),
    status: NEW_SLOT.status,
    description: '',
    colour: SWATCHES[0],
  };
}

/** What the editor is open for. */
export type EditorTarget =
  | { readonly kind: 'slot'; readonly id: number }
  | { readonly kind: 'new'; readonly day: Day; readonly span: TimeSpan };

export function getDraftKey(editing: EditorTarget): string {
  return editing.kind === 'slot' ? String(editing.id) : `new ${editing.day} ${editing.span.start} ${editing.span.end}`;
}

type Edits = Partial<Fields>;

/** Stores the unsaved fields of a slot. Only edited fields are stored; the others keep showing the current values. */
export function useDraft(key: string) {
  const [text, setText] = useAccountDraft(`timetable ${key}`, { isOfTab: true });
  const edits = useMemo(() => parseEdits(text), [text]);
  const type = useCallback(
    (change: Edits): void => setText((now) => JSON.stringify({ ...parseEdits(now), ...change })),
    [setText],
  );
  /** Drops the draft; with `then`, only if it has not changed since. */
  const drop = useCallback(
    (then?: Edits): void =>
      setText((now) => (then === undefined || JSON.stringify(parseEdits(now)) === JSON.stringify(then) ? '' : now)),
    [setText],
  );
  return { edits, type, drop };
}
