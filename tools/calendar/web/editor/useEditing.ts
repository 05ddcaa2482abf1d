import { useEffect, useState } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
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
import { useEvent, useFormState, type EventSelection, type FormState, parseToIso } from './useEventForm.ts';

/** docs/specification/calendar.md section 4.1. */
type SaveLabel = 'Save' | 'Not saved' | 'Saving' | 'Saved' | 'failed to save';
type Status = 'idle' | 'saving' | 'saved' | 'failed';

function getLabel(status: Status, isDirty: boolean): SaveLabel {
  if (status === 'saving') return 'Saving';
  if (status === 'failed') return 'failed to save';
  if (isDirty) return 'Not saved';
  return status === 'saved' ? 'Saved' : 'Save';
}

interface SavingOptions extends Pick<CalendarViewProps, 'onSelect'> {
  readonly selection: EventSelection;
  readonly server: ReturnType<typeof useEvent>;
  readonly formState: FormState;
}

/** Saves the form, asks if needed, and manages the outcome. */
export function useSaving({ selection, server, formState, onSelect }: SavingOptions) {
  const saveEvent = useSaveEvent();
  const moveEvent = useMoveEvent();
  const [status, setStatus] = useState<Status>('idle');
  const [problems, setProblems] = useState<readonly (keyof Form)[]>([]);
  const [isAskingMove, setIsAskingMove] = useState(false);
  const [theirs, setTheirs] = useState<WireEvent | undefined>();

  /** Selects a new event after it was saved, or the new day of a moved one. */
  function follow(saved: WireEvent, submitted: Form): void {
    const date = parseToIso(saved.style === 'repeat' ? submitted.date : saved.date);
    server.cache(saved, date);
    const { id, style: type } = saved;
    const isSelected =
      selection.kind === 'event' && selection.id === id && selection.date === date && selection.type === type;
    if (!isSelected) onSelect({ kind: 'event', id, date, type });
  }

  async function runSave(submitted: Form, run: () => Promise<WireEvent>): Promise<void> {
    setStatus('saving');
    try {
      const saved = await run();
      formState.settle(submitted, saved);
      setStatus('saved');
      follow(saved, submitted);
    } catch (error) {
      setStatus('failed');
      const isConflict = error instanceof Refusal && error.code === 'calendar.conflict';
      const current = isConflict ? await server.refetch() : undefined;
      if (current) setTheirs(current);
      else showError(error);
    }
  }

  const submit = async (form: Form, base: WireEvent | undefined): Promise<void> =>
    runSave(form, () =>
      saveEvent.mutateAsync({
        data: toSaveRequest(form, base, formState.createUneditedForm(base)),
        ...(base ? { previous: base } : {}),
      }),
    );

  /** Converts one day of a repeat to an event of its own. All edits apply to that day. */
  async function submitSingleDay(): Promise<void> {
    const { form, start, base } = formState.getLatest();
    if (!base) return;
    await runSave(form, async () => {
      const to = parseToIso(form.date);
      const { id, revision } = base;
      const movedEvent = await moveEvent.mutateAsync({ id, from: parseToIso(start.date), to, only: true, revision });
      const unedited = createForm(movedEvent, to);
      const { name, description, time, endTime, endDate, tags, pinned } = form;
      const edited: Form = { ...unedited, name, description, time, endTime, endDate, tags, pinned };
      if (listDifferences(edited, unedited).length === 0) return movedEvent;
      return saveEvent.mutateAsync({ data: toSaveRequest(edited, movedEvent, unedited), previous: movedEvent });
    });
  }

  return {
    label: getLabel(status, formState.isDirty),
    isSaving: status === 'saving',
    /** Fields that were refused on save. */
    problems,
    /** Marks fields as edited. */
    markEdited: (fields: readonly string[]): void => {
      setStatus((before) => (before === 'saving' ? before : 'idle'));
      setProblems((before) => before.filter((field) => !fields.includes(field)));
    },
    save: (): void => {
      if (status === 'saving') return;
      const { form, start, base } = formState.getLatest();
      const invalidFields = listProblems(form);
      setProblems(invalidFields);
      if (invalidFields.length > 0) return;
      if (base?.style === 'repeat' && countMovedDays(form, start) !== 0) setIsAskingMove(true);
      else void submit(form, base);
    },
    isAskingMove,
    answerMove: (only: boolean | undefined): void => {
      setIsAskingMove(false);
      if (only === true) void submitSingleDay();
      if (only === false) void submit(formState.getLatest().form, formState.getLatest().base);
    },
    /** The other version after a conflict. */
    theirs,
    compare: setTheirs,
    acceptVersion: (event: WireEvent): void => {
      setTheirs(undefined);
      setStatus('idle');
      formState.update(formState.createUneditedForm(event), event);
    },
    saveVersion: (next: Form, base: WireEvent): void => {
      setTheirs(undefined);
      formState.update(next, base);
      void submit(next, base);
    },
  };
}

/** Shows a notice about the stored draft when the page leaves a form with edits. */
function useDraftNotice(getLatest: FormState['getLatest']): void {
  useEffect(
    () => () => {
      const { isDirty, form } = getLatest();
      if (isDirty) notices.add('info', `Not saved: ${form.name || 'new event'}. Your changes are stored as a draft`);
    },
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- what it reads is always the latest
    [],
  );
}

/** Returns the version that someone else saved while the form has edits. */
const getNewerVersion = (formState: FormState, server: WireEvent | undefined): WireEvent | undefined =>
  formState.isDirty && formState.base && server && server.revision > formState.base.revision ? server : undefined;

/** Manages the state of the editor: the server's version, the edits, and how they are merged. */
export function useEditing(
  selection: EventSelection,
  { today, onSelect }: Pick<CalendarViewProps, 'today' | 'onSelect'>,
) {
  const server = useEvent(selection);
  const formState = useFormState(selection, server);
  const saving = useSaving({ selection, server, formState, onSelect });
  const { form, start, base, isDirty } = formState;
  const { theirs } = saving;
  useDraftNotice(formState.getLatest);

  return {
    ...saving,
    form,
    start,
    base,
    isDirty,
    today,
    oldDraft: formState.oldDraft,
    discard: formState.discard,
    error: server.error,
    reload: server.refetch,
    /** Whether there is a form to show. */
    hasForm: selection.kind === 'new' || base !== undefined,
    isDeleted: server.isDeleted && !isDirty,
    /** Whether the event was deleted while the form has edits. */
    isDeletedWithEdits: server.isDeleted && isDirty,
    newerVersion: saving.isSaving ? undefined : getNewerVersion(formState, server.event),
    /** Two versions to compare. */
    conflict: theirs && { theirs, mine: form, start, theirForm: formState.createUneditedForm(theirs) },
    change: (edits: Partial<Form>): void => {
      saving.markEdited(Object.keys(edits));
      const latest = formState.getLatest();
      formState.update({ ...latest.form, ...edits }, latest.base);
    },
    /** Restores the event from the bin, and keeps the edits. */
    restore: async (): Promise<void> => {
      const latest = formState.getLatest();
      if (!latest.base) return;
      try {
        const { data } = await call(restoreevent, { id: latest.base.id });
        formState.update(rebase(latest.form, latest.start, formState.createUneditedForm(data)), data);
        await server.refetch();
      } catch (error) {
        showError(error);
      }
    },
  };
}

export type EditorState = ReturnType<typeof useEditing>;
