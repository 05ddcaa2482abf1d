import { useEffect } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { restoreevent } from '../../contract/events.ts';
import type { PartProps } from '../parts.ts';
import type { WireEvent } from './eventData.ts';
import { rebase, type Form } from './eventForm.ts';
import { useEvent } from './useEvent.ts';
import { useTyped, type ChosenEvent, type TypedForm } from './useEventForm.ts';
import { useSaving } from './useSaving.ts';

/** Left with something typed: said once, as the page turns to something else. */
const useLeaving = (now: TypedForm['now']): void => {
  useEffect(
    () => () => {
      const { isDirty, form } = now();
      if (isDirty) notices.add('info', `Not saved: ${form.name || 'new event'}. What you typed is kept as a draft.`);
    },
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- what it reads is always the latest
    [],
  );
};

/** The version that somebody else saved while something is typed here. */
const elsewhereOf = (typed: TypedForm, server: WireEvent | undefined): WireEvent | undefined =>
  typed.isDirty && typed.base && server && server.revision > typed.base.revision ? server : undefined;

/** The event in the editor: what the server has, what is typed over it, and how both come together. */
export const useEditing = (selection: ChosenEvent, { today, onSelect }: Pick<PartProps, 'today' | 'onSelect'>) => {
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
    /** A new event, or a version to be shown. */
    isThere: selection.kind === 'new' || base !== undefined,
    isGone: server.isGone && !isDirty,
    /** Deleted while something is typed. */
    isLost: server.isGone && isDirty,
    elsewhere: saving.isSaving ? undefined : elsewhereOf(typed, server.event),
    /** Two versions to be compared. */
    conflict: theirs && { theirs, mine: form, start, theirForm: typed.formAt(theirs) },
    change: (edits: Partial<Form>): void => {
      saving.touch(Object.keys(edits));
      const now = typed.now();
      typed.hold({ ...now.form, ...edits }, now.base);
    },
    /** Brings the event back from the bin, under what is typed. */
    bringBack: async (): Promise<void> => {
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
};

export type EditorState = ReturnType<typeof useEditing>;
