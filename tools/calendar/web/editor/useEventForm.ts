import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState, useEffect } from 'react';
import { toIso } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { useDraftOwner } from '#platform/web/app/draftOwner.ts';
import { showError } from '#platform/web/app/failure.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { getevent } from '../../contract/events.ts';
import { parseDay } from '../../events/domain/day.ts';
import { type Selection, keys } from '../selection.ts';
import type { WireEvent } from './eventData.ts';
import { drafts, type StoredDraft, type DraftOf } from './eventDrafts.ts';
import { listDifferences, getEdits, createForm, newForm, rebase, type Form } from './eventForm.ts';

/** Loads the selected event. */
export function useEvent(selection: Selection) {
  const queries = useQueryClient();
  const [id, date, type] =
    selection.kind === 'event' ? [selection.id, selection.date, selection.type] : [0, '', 'calendar'];
  const query = useQuery({
    queryKey: keys.event(id, date),
    queryFn: async () =>
      (await call(getevent, { id: String(id), type, date, width: String(window.innerWidth), tz: getTimeZone() })).data,
    enabled: id > 0,
    // Another day of the same repeat is the same event.
    placeholderData: (before) => (before?.id === id ? before : undefined),
    staleTime: () => (realtime.getConnectionState() === 'connected' ? 60_000 : 5000),
  });
  const { data, error } = query;
  // An event that existed and was deleted is reported in the editor, without a notice.
  const isRefused = error !== null && data === undefined;
  useEffect(() => {
    if (isRefused) showError(error);
  }, [isRefused, error]);
  return {
    event: data,
    error,
    /** Deleted, or never existed. */
    isGone: error instanceof Refusal,
    refetch: async (): Promise<WireEvent | undefined> => (await query.refetch()).data,
    /** Stores a version that the answer of a change contains. */
    put: (event: WireEvent, at: string): void => {
      queries.setQueryData(keys.event(event.id, at), event);
    },
  };
}

export type ChosenEvent = Exclude<Selection, { readonly kind: 'none' }>;

/** Edits and the version they started from. Without edits the newest version is shown. */
interface FormDraft {
  readonly edits: Partial<Form>;
  readonly base: WireEvent | undefined;
}

const NOTHING: FormDraft = { edits: {}, base: undefined };
const hasEdits = ({ edits }: FormDraft): boolean => Object.keys(edits).length > 0;

const getDraftKey = (selection: ChosenEvent): DraftOf =>
  selection.kind === 'event' ? selection.id : selection.proposal;
/** Converts a day from wire format to ISO. */
export function parseToIso(wire: string): string {
  return toIso(parseDay(wire) ?? 0);
}

const getNewer = (one: WireEvent | undefined, other: WireEvent | undefined): WireEvent | undefined =>
  one && other && one.id === other.id && one.revision > other.revision ? one : (other ?? one);

/** Finds the draft of the selection. It is applied if its version is still the newest, and offered otherwise. */
const useDraft = (selection: ChosenEvent, { event, error }: ReturnType<typeof useEvent>) => {
  const owner = useDraftOwner();
  const read = (): { readonly waiting: StoredDraft | undefined; readonly owner: string | undefined } => ({
    waiting: drafts.read(getDraftKey(selection)),
    owner,
  });
  const [draftState, setDraftState] = useState(read);
  // The owner of the drafts has just become known.
  if (draftState.owner !== owner) setDraftState(read);
  const { waiting } = draftState;
  // If the server doesn't answer, no newer version is known.
  const isKnown = waiting?.base === undefined || event !== undefined || error !== null;
  const fits = waiting?.base === undefined || event === undefined || waiting.base.revision === event.revision;
  return {
    fitting: isKnown && fits ? waiting : undefined,
    old: isKnown && !fits ? waiting : undefined,
    settle: () => setDraftState({ waiting: undefined, owner }),
  };
};

/** The form of the selected event with its edits, which are stored as a draft on every keystroke. */
export function useTyped(selection: ChosenEvent, server: ReturnType<typeof useEvent>) {
  const [typed, setTyped] = useState<FormDraft>(NOTHING);
  const draft = useDraft(selection, server);
  // Applied while rendering, so that the event never appears without its draft.
  if (draft.fitting) {
    setTyped({ edits: draft.fitting.edits, base: draft.fitting.base });
    draft.settle();
  }

  const proposal = selection.kind === 'new' ? selection.proposal : { date: selection.date };
  const formAt = (base: WireEvent | undefined): Form =>
    base ? createForm(base, selection.kind === 'event' ? selection.date : parseToIso(base.date)) : newForm(proposal);
  const base = hasEdits(typed) ? typed.base : getNewer(typed.base, server.event);
  const start = formAt(base);
  const form: Form = { ...start, ...typed.edits };
  const isDirty = listDifferences(form, start).length > 0;

  // For handlers: an answer may arrive after more edits, and two keystrokes before a render.
  const latest = useRef({ form, start, base, isDirty });
  useLayoutEffect(() => {
    latest.current = { form, start, base, isDirty };
  });

  const chosen = getDraftKey(selection);
  /** Sets the form to `next`, based on the version `from`, whose unedited form is `untouched`. */
  const put = (next: Form, from: WireEvent | undefined, untouched: Form): void => {
    const edits = getEdits(next, untouched);
    setTyped({ edits, base: from });
    const isChanged = Object.keys(edits).length > 0;
    latest.current = { form: next, start: untouched, base: from, isDirty: isChanged };
    const of = from?.id ?? chosen;
    if (!isChanged) drafts.drop(of);
    // Includes the day, because the draft may be opened for another day later.
    else drafts.save(of, from ? { edits, base: from } : { edits: { ...edits, date: next.date } });
  };

  return {
    form,
    start,
    base,
    isDirty,
    /** The latest state, also between two renders. */
    now: () => latest.current,
    formAt,
    hold: (next: Form, from: WireEvent | undefined): void => put(next, from, formAt(from)),
    /** Called when `submitted` was saved as `saved`. Later edits stay. */
    settle: (submitted: Form, saved: WireEvent): void => {
      drafts.drop(chosen);
      const after = createForm(saved, parseToIso(submitted.date));
      put(rebase(latest.current.form, submitted, after), saved, after);
    },
    /** Discards the edits. */
    forget: (): void => {
      drafts.drop(chosen);
      setTyped(NOTHING);
      latest.current = { ...latest.current, isDirty: false };
    },
    /** A draft of an older version, and what can be done with it. */
    oldDraft: draft.old && {
      take: (): void => {
        if (draft.old) setTyped({ edits: draft.old.edits, base: draft.old.base });
        draft.settle();
      },
      drop: (): void => {
        drafts.drop(chosen);
        draft.settle();
      },
    },
  };
}

export type TypedForm = ReturnType<typeof useTyped>;
