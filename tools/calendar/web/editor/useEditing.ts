import { useEffect, useState } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { restoreevent } from '../../contract/events.ts';
import type { CalendarViewProps } from '../selection.ts';
import { useMoveEvent, useSaveEvent } from '../useEventMutations.ts';
import type { WireEvent } from './eventData.ts';
import {
  rebase,
  type Form,
  listDifferences,
  createForm,
  countMovedDays,
  listProblems,
  toSaveRequest,
} from './eventForm.ts';
import { useEvent, useTyped, type ChosenEvent, type TypedForm, parseToIso } from './useEventForm.ts';

/** docs/specification/calendar.md section 4.1. */
type SaveLabel = 'Save' | 'Not saved' | 'Saving' | 'Saved' | 'failed to save';
type Status = 'idle' | 'saving' | 'saved' | 'failed';

const getLabel = (status: Status, isDirty: boolean): SaveLabel => {
  if (status === 'saving') return 'Saving';
  if (status === 'failed') return 'failed to save';
  if (isDirty) return 'Not saved';
  return status === 'saved' ? 'Saved' : 'Save';
};

interface SavingOptions extends Pick<CalendarViewProps, 'onSelect'> {
  readonly selection: ChosenEvent;
  readonly server: ReturnType<typeof useEvent>;
  readonly typed: TypedForm;
}

/** Saves the form, asks if needed, and manages the outcome. */
export function useSaving({ selection, server, typed, onSelect }: SavingOptions) {
  const saveEvent = useSaveEvent();
  const moveEvent = useMoveEvent();
  const [status, setStatus] = useState<Status>('idle');
  const [problems, setProblems] = useState<readonly (keyof Form)[]>([]);
  const [asksMove, setAsksMove] = useState(false);
  const [theirs, setTheirs] = useState<WireEvent | undefined>();

  /** Selects a new event after it was saved, or the new day of a moved one. */
  const follow = (saved: WireEvent, submitted: Form): void => {
    const date = parseToIso(saved.style === 'repeat' ? submitted.date : saved.date);
    server.put(saved, date);
    const { id, style: type } = saved;
    const before = selection;
    if (before.kind === 'event' && before.id === id && before.date === date && before.type === type) return;
    onSelect({ kind: 'event', id, date, type });
  };

  const attempt = async (submitted: Form, run: () => Promise<WireEvent>): Promise<void> => {
    setStatus('saving');
    try {
      const saved = await run();
      typed.settle(submitted, saved);
      setStatus('saved');
      follow(saved, submitted);
    } catch (error) {
      setStatus('failed');
      const isElsewhere = error instanceof Refusal && error.code === 'calendar.conflict';
      const now = isElsewhere ? await server.refetch() : undefined;
      if (now) setTheirs(now);
      else showError(error);
    }
  };

  const submit = async (form: Form, over: WireEvent | undefined): Promise<void> =>
    attempt(form, () =>
      saveEvent.mutateAsync({ data: toSaveRequest(form, over, typed.formAt(over)), ...(over ? { former: over } : {}) }),
    );

  /** Makes one day of a repeat an event of its own. All edits apply to that day. */
  const submitOnly = async (): Promise<void> => {
    const { form, start, base } = typed.now();
    if (!base) return;
    await attempt(form, async () => {
      const to = parseToIso(form.date);
      const { id, revision } = base;
      const own = await moveEvent.mutateAsync({ id, from: parseToIso(start.date), to, only: true, revision });
      const plain = createForm(own, to);
      const { name, description, time, endTime, endDate, tags, pinned } = form;
      const wished: Form = { ...plain, name, description, time, endTime, endDate, tags, pinned };
      if (listDifferences(wished, plain).length === 0) return own;
      return saveEvent.mutateAsync({ data: toSaveRequest(wished, own, plain), former: own });
    });
  };

  return {
    label: getLabel(status, typed.isDirty),
    isSaving: status === 'saving',
    /** Fields that were refused on save. */
    problems,
    /** Marks fields as edited. */
    touch: (fields: readonly string[]): void => {
      setStatus((before) => (before === 'saving' ? before : 'idle'));
      setProblems((before) => before.filter((field) => !fields.includes(field)));
    },
    save: (): void => {
      if (status === 'saving') return;
      const { form, start, base } = typed.now();
      const bad = listProblems(form);
      setProblems(bad);
      if (bad.length > 0) return;
      if (base?.style === 'repeat' && countMovedDays(form, start) !== 0) setAsksMove(true);
      else void submit(form, base);
    },
    asksMove,
    answerMove: (only: boolean | undefined): void => {
      setAsksMove(false);
      if (only === true) void submitOnly();
      if (only === false) void submit(typed.now().form, typed.now().base);
    },
    /** The other version after a conflict. */
    theirs,
    compare: setTheirs,
    take: (event: WireEvent): void => {
      setTheirs(undefined);
      setStatus('idle');
      typed.hold(typed.formAt(event), event);
    },
    keep: (next: Form, over: WireEvent): void => {
      setTheirs(undefined);
      typed.hold(next, over);
      void submit(next, over);
    },
  };
}

/** Announces once that unsaved edits remain when the page shows something else. */
const useLeaving = (now: TypedForm['now']): void => {
  useEffect(
    () => () => {
      const { isDirty, form } = now();
      if (isDirty) notices.add('info', `Not saved: ${form.name || 'new event'}. Your changes are stored as a draft`);
    },
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- what it reads is always the latest
    [],
  );
};

/** Returns the version that someone else saved while the form has edits. */
const getNewerVersion = (typed: TypedForm, server: WireEvent | undefined): WireEvent | undefined =>
  typed.isDirty && typed.base && server && server.revision > typed.base.revision ? server : undefined;

/** The state of the editor: the server's version, the edits, and how they are merged. */
export function useEditing(selection: ChosenEvent, { today, onSelect }: Pick<CalendarViewProps, 'today' | 'onSelect'>) {
  const server = useEvent(selection);
  const typed = useTyped(selection, server);
  const saving = useSaving({ selection, server, typed, onSelect });
  const { form, start, base, isDirty } = typed;
  const { theirs } = saving;
  useLeaving(typed.now);

  return {
    ...saving,
    form,
    start,
    base,
    isDirty,
    today,
    oldDraft: typed.oldDraft,
    forget: typed.forget,
    error: server.error,
    reload: server.refetch,
    /** Whether there is a form to show. */
    isThere: selection.kind === 'new' || base !== undefined,
    isGone: server.isGone && !isDirty,
    /** The event was deleted while the form has edits. */
    isLost: server.isGone && isDirty,
    elsewhere: saving.isSaving ? undefined : getNewerVersion(typed, server.event),
    /** Two versions to compare. */
    conflict: theirs && { theirs, mine: form, start, theirForm: typed.formAt(theirs) },
    change: (edits: Partial<Form>): void => {
      saving.touch(Object.keys(edits));
      const now = typed.now();
      typed.hold({ ...now.form, ...edits }, now.base);
    },
    /** Restores the event from the bin, and keeps the edits. */
    restore: async (): Promise<void> => {
      const now = typed.now();
      if (!now.base) return;
      try {
        const { data } = await call(restoreevent, { id: now.base.id });
        typed.hold(rebase(now.form, now.start, typed.formAt(data)), data);
        await server.refetch();
      } catch (error) {
        showError(error);
      }
    },
  };
}

export type EditorState = ReturnType<typeof useEditing>;
