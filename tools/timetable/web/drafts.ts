import { useCallback, useSyncExternalStore } from 'react';
import { session } from '#platform/web/session.ts';
import { toClock } from '../domain/clock.ts';
import { NEW_SLOT, type Span } from '../domain/slot.ts';
import type { Day } from '../domain/week.ts';
import { toHex, type Planned } from './planned.ts';

/** The fields of the editor, as they are typed. */
export interface Fields {
  readonly name: string;
  readonly start: string;
  readonly end: string;
  readonly status: string;
  readonly description: string;
  /** `#rrggbb`. */
  readonly colour: string;
}

/** The colours to choose from first. */
export const SWATCHES = ['#1f8fb2', '#5b4bd4', '#c05299', '#c2413b', '#c98a1b', '#2e9e5b', '#666673'] as const;

export const fieldsOf = (slot: Planned): Fields => ({
  name: slot.name,
  start: toClock(slot.start),
  end: toClock(slot.end),
  status: slot.status,
  description: slot.description,
  colour: toHex(slot.colour),
});

export const newFields = ({ start, end }: Span = NEW_SLOT): Fields => ({
  name: '',
  start: toClock(start),
  end: toClock(end),
  status: NEW_SLOT.status,
  description: '',
  colour: SWATCHES[0],
});

/** What the editor is open for. */
export type Editing =
  | { readonly kind: 'slot'; readonly id: number }
  | { readonly kind: 'new'; readonly day: Day; readonly span: Span };

export const keyOf = (editing: Editing): string =>
  editing.kind === 'slot' ? String(editing.id) : `new ${editing.day} ${editing.span.start} ${editing.span.end}`;

type Edits = Partial<Fields>;
const NONE: Edits = {};

// What is typed outlives the editor: another slot that is opened, a refused save and a session that ends take nothing of it away.
const kept = new Map<string, Edits>();
const listeners = new Set<() => void>();
const tellAll = (): void => {
  for (const tell of listeners) tell();
};
let owner = session.current()?.username ?? '';
// Who leaves on purpose leaves nothing, and who comes in another's place finds nothing of theirs.
session.subscribe(() => {
  const username = session.current()?.username ?? '';
  const hasLeft = !session.current() && session.wasLeftOnPurpose();
  const isAnother = username !== '' && owner !== '' && username !== owner;
  if (username !== '') owner = username;
  if (!hasLeft && !isAnother) return;
  kept.clear();
  tellAll();
});
const subscribe = (tell: () => void): (() => void) => {
  listeners.add(tell);
  return () => listeners.delete(tell);
};

/** What was typed for a slot and is not saved: only the fields that were touched, the others go on showing what comes from elsewhere. */
export const useDraft = (key: string) => {
  const edits = useSyncExternalStore(subscribe, () => kept.get(key) ?? NONE);
  const type = useCallback(
    (change: Edits): void => {
      kept.set(key, { ...kept.get(key), ...change });
      tellAll();
    },
    [key],
  );
  /** All of it, or where it is still as it was then. */
  const drop = useCallback(
    (then?: Edits): void => {
      if (then !== undefined && (kept.get(key) ?? NONE) !== then) return;
      if (kept.delete(key)) tellAll();
    },
    [key],
  );
  return { edits, type, drop };
};
