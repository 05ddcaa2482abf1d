import { useState } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { showError } from '#platform/web/app/failure.ts';
import { CHANGED_ELSEWHERE } from '../../contract/events.ts';
import type { PartProps } from '../parts.ts';
import { useMoveEvent, useSaveEvent } from '../useEventMutations.ts';
import type { WireEvent } from './eventData.ts';
import { differing, formOf, movedBy, problemsOf, savingOf, type Form } from './eventForm.ts';
import type { useEvent } from './useEvent.ts';
import { isoOf, type ChosenEvent, type TypedForm } from './useEventForm.ts';

/** Specification 1, section 4. */
type SaveLabel = 'Save' | 'Not saved' | 'Saving' | 'Saved' | 'failed to save';
type Status = 'idle' | 'saving' | 'saved' | 'failed';

const labelOf = (status: Status, isDirty: boolean): SaveLabel => {
  if (status === 'saving') return 'Saving';
  if (status === 'failed') return 'failed to save';
  if (isDirty) return 'Not saved';
  return status === 'saved' ? 'Saved' : 'Save';
};

interface SavingOptions extends Pick<PartProps, 'onSelect'> {
  readonly selection: ChosenEvent;
  readonly server: ReturnType<typeof useEvent>;
  readonly typed: TypedForm;
}

/** Saves the form, asks where it has to, and holds what came of it. */
export const useSaving = ({ selection, server, typed, onSelect }: SavingOptions) => {
  const saveEvent = useSaveEvent();
  const moveEvent = useMoveEvent();
  const [status, setStatus] = useState<Status>('idle');
  const [problems, setProblems] = useState<readonly (keyof Form)[]>([]);
  const [asksMove, setAsksMove] = useState(false);
  const [theirs, setTheirs] = useState<WireEvent | undefined>();

  /** The page follows what was saved: a new event becomes the selected one, a moved one is selected on its day. */
  const follow = (saved: WireEvent, submitted: Form): void => {
    const date = isoOf(saved.style === 'repeat' ? submitted.date : saved.date);
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
      const isElsewhere = error instanceof Refusal && error.message === CHANGED_ELSEWHERE;
      const now = isElsewhere ? await server.refetch() : undefined;
      if (now) setTheirs(now);
      else showError(error);
    }
  };

  const submit = async (form: Form, over: WireEvent | undefined): Promise<void> =>
    attempt(form, () =>
      saveEvent.mutateAsync({ data: savingOf(form, over, typed.formAt(over)), ...(over ? { former: over } : {}) }),
    );

  /** One day of a repeat becomes an event of its own; what else was typed is of that day. */
  const submitOnly = async (): Promise<void> => {
    const { form, start, base } = typed.now();
    if (!base) return;
    await attempt(form, async () => {
      const to = isoOf(form.date);
      const { id, revision } = base;
      const own = await moveEvent.mutateAsync({ id, from: isoOf(start.date), to, only: true, revision });
      const plain = formOf(own, to);
      const { name, description, time, endTime, endDate, tags, pinned } = form;
      const wished: Form = { ...plain, name, description, time, endTime, endDate, tags, pinned };
      if (differing(wished, plain).length === 0) return own;
      return saveEvent.mutateAsync({ data: savingOf(wished, own, plain), former: own });
    });
  };

  return {
    label: labelOf(status, typed.isDirty),
    isSaving: status === 'saving',
    /** Fields for which saving was refused. */
    problems,
    /** Something was typed into these. */
    touch: (fields: readonly string[]): void => {
      setStatus((before) => (before === 'saving' ? before : 'idle'));
      setProblems((before) => before.filter((field) => !fields.includes(field)));
    },
    save: (): void => {
      if (status === 'saving') return;
      const { form, start, base } = typed.now();
      const bad = problemsOf(form);
      setProblems(bad);
      if (bad.length > 0) return;
      if (base?.style === 'repeat' && movedBy(form, start) !== 0) setAsksMove(true);
      else void submit(form, base);
    },
    asksMove,
    answerMove: (only: boolean | undefined): void => {
      setAsksMove(false);
      if (only === true) void submitOnly();
      if (only === false) void submit(typed.now().form, typed.now().base);
    },
    /** The other version, where two met. */
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
};
