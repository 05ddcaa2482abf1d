import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState, useEffect } from 'react';
import { toIso } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { useDraftOwner } from '#platform/web/app/draftOwner.ts';
import { createLiveStaleTime } from '#platform/web/app/liveStaleTime.ts';
import { showError } from '#platform/web/app/showError.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { calendarChanged, getevent } from '../../contract/events.ts';
import { parseDay } from '../../events/domain/day.ts';
import { type Selection, queryKeys } from '../selection.ts';
import type { WireEvent } from './eventData.ts';
import { drafts, type StoredDraft, type DraftTarget } from './eventDrafts.ts';
import { listDifferences, getEdits, createForm, createNewForm, rebase, type Form } from './eventForm.ts';

/** Loads the selected event. */
export function useEvent(selection: Selection) {
  const queryClient = useQueryClient();
  const [id, date, type] =
    selection.kind === 'event' ? [selection.id, selection.date, selection.type] : [0, '', 'calendar'];
  const query = useQuery({
    queryKey: queryKeys.event(id, date),
    queryFn: async () =>
      (await call(getevent, { id: String(id), type, date, width: String(window.innerWidth), tz: getTimeZone() })).data,
    enabled: id > 0,
    // Another day of the same repeat is the same event.
    placeholderData: (before) => (before?.id === id ? before : undefined),
    staleTime: createLiveStaleTime([calendarChanged], 60_000),
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
    /** Whether the event was deleted or never existed. */
    isDeleted: error instanceof Refusal,
    refetch: async (): Promise<WireEvent | undefined> => (await query.refetch()).data,
    /** Stores a version that the answer of a change contains. */
    cache: (event: WireEvent, at: string): void => {
      queryClient.setQueryData(queryKeys.event(event.id, at), event);
    },
  };
}

export type EventSelection = Exclude<Selection, { readonly kind: 'none' }>;

/** Edits and the version they started from. Without edits the newest version is shown. */
interface FormDraft {
  readonly edits: Partial<Form>;
  readonly base: WireEvent | undefined;
}

const NO_EDITS: FormDraft = { edits: {}, base: undefined };
const hasEdits = ({ edits }: FormDraft): boolean => Object.keys(edits).length > 0;

const getDraftTarget = (selection: EventSelection): DraftTarget =>
  selection.kind === 'event' ? selection.id : selection.proposal;
/** Converts a day from wire format to ISO. */
export function parseToIso(wire: string): string {
  return toIso(parseDay(wire) ?? 0);
}

const getNewer = (a: WireEvent | undefined, b: WireEvent | undefined): WireEvent | undefined =>
  a && b && a.id === b.id && a.revision > b.revision ? a : (b ?? a);

/** Finds the draft of the selection: `current` if its version is still the newest, otherwise `outdated`. */
function useDraft(selection: EventSelection, { event, error }: ReturnType<typeof useEvent>) {
  const owner = useDraftOwner();
  const read = (): { readonly storedDraft: StoredDraft | undefined; readonly owner: string | undefined } => ({
    storedDraft: drafts.read(getDraftTarget(selection)),
    owner,
  });
  const [loadedDraft, setLoadedDraft] = useState(read);
  // The owner of the drafts has just become known.
  if (loadedDraft.owner !== owner) setLoadedDraft(read);
  const { storedDraft } = loadedDraft;
  // If the server doesn't answer, no newer version is known.
  const isKnown = storedDraft?.base === undefined || event !== undefined || error !== null;
  const isCurrent =
    storedDraft?.base === undefined || event === undefined || storedDraft.base.revision === event.revision;
  return {
    current: isKnown && isCurrent ? storedDraft : undefined,
    outdated: isKnown && !isCurrent ? storedDraft : undefined,
    settle: () => setLoadedDraft({ storedDraft: undefined, owner }),
  };
}

/** Manages the form of the selected event with its edits, which are stored as a draft on every keystroke. */
export function useFormState(selection: EventSelection, server: ReturnType<typeof useEvent>) {
  const [draftState, setDraftState] = useState<FormDraft>(NO_EDITS);
  const draft = useDraft(selection, server);
  // Applied while rendering, so that the event never appears without its draft.
  if (draft.current) {
    setDraftState({ edits: draft.current.edits, base: draft.current.base });
    draft.settle();
  }

  const proposal = selection.kind === 'new' ? selection.proposal : { date: selection.date };
  const createUneditedForm = (base: WireEvent | undefined): Form =>
    base
      ? createForm(base, selection.kind === 'event' ? selection.date : parseToIso(base.date))
      : createNewForm(proposal);
  const base = hasEdits(draftState) ? draftState.base : getNewer(draftState.base, server.event);
  const start = createUneditedForm(base);
  const form: Form = { ...start, ...draftState.edits };
  const isDirty = listDifferences(form, start).length > 0;

  // Handlers read the latest state: an answer may arrive after more edits, and two keystrokes before a render.
  const latest = useRef({ form, start, base, isDirty });
  useLayoutEffect(() => {
    latest.current = { form, start, base, isDirty };
  });

  const draftTarget = getDraftTarget(selection);
  /** Sets the form to `next`, based on the version `from`, whose unedited form is `unedited`. */
  function setForm(next: Form, from: WireEvent | undefined, unedited: Form): void {
    const edits = getEdits(next, unedited);
    setDraftState({ edits, base: from });
    const isChanged = Object.keys(edits).length > 0;
    latest.current = { form: next, start: unedited, base: from, isDirty: isChanged };
    const target = from?.id ?? draftTarget;
    if (!isChanged) drafts.remove(target);
    // Includes the day, because the draft may be opened for another day later.
    else drafts.save(target, from ? { edits, base: from } : { edits: { ...edits, date: next.date } });
  }

  return {
    form,
    start,
    base,
    isDirty,
    /** The latest state, also between two renders. */
    getLatest: () => latest.current,
    createUneditedForm,
    update: (next: Form, from: WireEvent | undefined): void => setForm(next, from, createUneditedForm(from)),
    /** Called when `submitted` was saved as `saved`. Later edits stay. */
    settle: (submitted: Form, saved: WireEvent): void => {
      drafts.remove(draftTarget);
      const next = createForm(saved, parseToIso(submitted.date));
      setForm(rebase(latest.current.form, submitted, next), saved, next);
    },
    /** Discards the edits. */
    discard: (): void => {
      drafts.remove(draftTarget);
      setDraftState(NO_EDITS);
      latest.current = { ...latest.current, isDirty: false };
    },
    /** A draft of an older version, and what can be done with it. */
    oldDraft: draft.outdated && {
      apply: (): void => {
        if (draft.outdated) setDraftState({ edits: draft.outdated.edits, base: draft.outdated.base });
        draft.settle();
      },
      discard: (): void => {
        drafts.remove(draftTarget);
        draft.settle();
      },
    },
  };
}

export type FormState = ReturnType<typeof useFormState>;
