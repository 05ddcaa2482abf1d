import { useLayoutEffect, useRef, useState } from 'react';
import { useDraftOwner } from '#platform/web/app/draftOwner.ts';
import { parseDay, toIso } from '../../events/domain/day.ts';
import type { Selection } from '../selection.ts';
import type { WireEvent } from './eventData.ts';
import { drafts, type StoredDraft, type DraftOf } from './eventDrafts.ts';
import { differing, editsOf, formOf, newForm, rebase, type Form } from './eventForm.ts';
import type { useEvent } from './useEvent.ts';

export type ChosenEvent = Exclude<Selection, { readonly kind: 'none' }>;

/** What is typed, over the version on which it was begun. Without edits the newest version is shown as it comes. */
interface FormDraft {
  readonly edits: Partial<Form>;
  readonly base: WireEvent | undefined;
}

const NOTHING: FormDraft = { edits: {}, base: undefined };
const hasEdits = ({ edits }: FormDraft): boolean => Object.keys(edits).length > 0;

const draftOf = (selection: ChosenEvent): DraftOf => (selection.kind === 'event' ? selection.id : selection.proposal);
/** A day as pages know it, of one as the server writes it. */
export function isoOf(wire: string): string {
  return toIso(parseDay(wire) ?? 0);
}

const newer = (one: WireEvent | undefined, other: WireEvent | undefined): WireEvent | undefined =>
  one && other && one.id === other.id && one.revision > other.revision ? one : (other ?? one);

/** The draft of what is selected, as this form found it: one on a version that is still the newest fits, over a newer one it is offered. */
const useDraft = (selection: ChosenEvent, { event, error }: ReturnType<typeof useEvent>) => {
  const owner = useDraftOwner();
  const read = (): { readonly waiting: StoredDraft | undefined; readonly owner: string | undefined } => ({
    waiting: drafts.read(draftOf(selection)),
    owner,
  });
  const [found, setFound] = useState(read);
  // Only now it is known whose drafts these are.
  if (found.owner !== owner) setFound(read);
  const { waiting } = found;
  // A server that does not answer says nothing newer.
  const isKnown = waiting?.base === undefined || event !== undefined || error !== null;
  const fits = waiting?.base === undefined || event === undefined || waiting.base.revision === event.revision;
  return {
    fitting: isKnown && fits ? waiting : undefined,
    old: isKnown && !fits ? waiting : undefined,
    settle: () => setFound({ waiting: undefined, owner }),
  };
};

/** The form of the selected event: what the server has with what is typed over it, kept as a draft at every stroke. */
export function useTyped(selection: ChosenEvent, server: ReturnType<typeof useEvent>) {
  const [typed, setTyped] = useState<FormDraft>(NOTHING);
  const draft = useDraft(selection, server);
  // It is taken up while drawing: there is no moment in which the event stands without it.
  if (draft.fitting) {
    setTyped({ edits: draft.fitting.edits, base: draft.fitting.base });
    draft.settle();
  }

  const proposal = selection.kind === 'new' ? selection.proposal : { date: selection.date };
  const formAt = (base: WireEvent | undefined): Form =>
    base ? formOf(base, selection.kind === 'event' ? selection.date : isoOf(base.date)) : newForm(proposal);
  const base = hasEdits(typed) ? typed.base : newer(typed.base, server.event);
  const start = formAt(base);
  const form: Form = { ...start, ...typed.edits };
  const isDirty = differing(form, start).length > 0;

  // What handlers read: an answer comes after more was typed, and two strokes may come before a drawing.
  const latest = useRef({ form, start, base, isDirty });
  useLayoutEffect(() => {
    latest.current = { form, start, base, isDirty };
  });

  const chosen = draftOf(selection);
  /** Holds `next` over `from`, whose untouched form is `untouched`. */
  const put = (next: Form, from: WireEvent | undefined, untouched: Form): void => {
    const edits = editsOf(next, untouched);
    setTyped({ edits, base: from });
    const isChanged = Object.keys(edits).length > 0;
    latest.current = { form: next, start: untouched, base: from, isDirty: isChanged };
    const of = from?.id ?? chosen;
    if (!isChanged) drafts.drop(of);
    // A new event's day goes along: it may have been begun on another one than the next.
    else drafts.keep(of, from ? { edits, base: from } : { edits: { ...edits, date: next.date } });
  };

  return {
    form,
    start,
    base,
    isDirty,
    /** As of the last stroke or answer, also within one drawing. */
    now: () => latest.current,
    formAt,
    hold: (next: Form, from: WireEvent | undefined): void => put(next, from, formAt(from)),
    /** `submitted` was answered with `saved`: what was typed since stays typed. */
    settle: (submitted: Form, saved: WireEvent): void => {
      drafts.drop(chosen);
      const after = formOf(saved, isoOf(submitted.date));
      put(rebase(latest.current.form, submitted, after), saved, after);
    },
    /** What is typed is given up. */
    forget: (): void => {
      drafts.drop(chosen);
      setTyped(NOTHING);
      latest.current = { ...latest.current, isDirty: false };
    },
    /** A draft over an older version than the newest, and what can be done with it. */
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
