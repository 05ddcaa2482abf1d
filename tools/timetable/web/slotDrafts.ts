import { useCallback, useMemo } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { useDraft as useAccountDraft } from '#platform/web/app/drafts.ts';
import { toClock } from '../domain/clockTime.ts';
import { NEW_SLOT, type TimeSpan } from '../domain/slot.ts';
import { formatHex, type PlannedSlot } from './plannedWeek.ts';

const FIELDS: readonly (keyof SlotFields)[] = ['name', 'start', 'end', 'status', 'description', 'colour'];

/** Parses a stored draft; invalid fields are left out. */
export function parseEdits(text: string): SlotEdits {
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
export interface SlotFields {
  readonly name: string;
  readonly start: string;
  readonly end: string;
  readonly status: string;
  readonly description: string;
  /** `#rrggbb`. */
  readonly colour: string;
}

/** Edited fields only. */
export type SlotEdits = Partial<SlotFields>;

/** Colours offered first. */
export const SWATCHES = ['#1f8fb2', '#5b4bd4', '#c05299', '#c2413b', '#c98a1b', '#2e9e5b', '#666673'] as const;

export function toFields(slot: PlannedSlot): SlotFields {
  return {
    name: slot.name,
    start: toClock(slot.start),
    end: toClock(slot.end),
    status: slot.status,
    description: slot.description,
    colour: formatHex(slot.colour),
  };
}

export function createFields({ start, end }: TimeSpan = NEW_SLOT): SlotFields {
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

export function getDraftKey(target: EditorTarget): string {
  return target.kind === 'slot' ? String(target.id) : `new ${target.day} ${target.span.start} ${target.span.end}`;
}

/** Stores the unsaved fields of a slot. Only edited fields are stored; the others keep showing the current values. */
export function useDraft(key: string) {
  const [text, setText] = useAccountDraft(`timetable ${key}`, { isOfTab: true });
  const edits = useMemo(() => parseEdits(text), [text]);
  const edit = useCallback(
    (change: SlotEdits): void => setText((now) => JSON.stringify({ ...parseEdits(now), ...change })),
    [setText],
  );
  /** Discards the draft; with `unchangedSince`, only if it still has these edits. */
  const discard = useCallback(
    (unchangedSince?: SlotEdits): void =>
      setText((now) =>
        unchangedSince === undefined || JSON.stringify(parseEdits(now)) === JSON.stringify(unchangedSince) ? '' : now,
      ),
    [setText],
  );
  return { edits, edit, discard };
}
