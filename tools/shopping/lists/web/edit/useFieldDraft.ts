import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useEdit } from './editContext.ts';

/** Time after the last keystroke. Text typed without such a pause is one undo step. */
const REST_MS = 400;

interface FieldDraftOptions {
  /** Value in the list. */
  readonly value: string;
  /** Returns why a text is invalid; '' if it is not saved but needs no message, such as an empty field. */
  readonly problem: (text: string) => string | undefined;
  readonly onSave: (text: string) => void;
  /** Whether the list does not have the thing yet; then a text that equals the value is saved too. */
  readonly isNew?: () => boolean;
}

/**
 * Holds the draft of a field whose value others may change. A focused field shows the draft. It is saved after a pause,
 * on blur, and when the field or page is closed. An invalid text stays in the field, with the reason.
 */
export function useFieldDraft({ value, problem, onSave, isNew }: FieldDraftOptions) {
  const edit = useEdit();
  const [typed, setTyped] = useState<string>();
  const text = typed ?? value;
  const latest = useRef({ value, problem, onSave, isNew });
  const unsaved = useRef<{ readonly text: string; readonly timer: ReturnType<typeof setTimeout> }>(undefined);
  const flush = useRef((): void => {
    const waiting = unsaved.current;
    if (!waiting) return;
    clearTimeout(waiting.timer);
    unsaved.current = undefined;
    edit.unsavedDrafts.delete(flush.current);
    const { value: known, problem: whyNot, onSave: save, isNew: isUnknown } = latest.current;
    const isNews = waiting.text !== known || isUnknown?.() === true;
    if (isNews && whyNot(waiting.text) === undefined) save(waiting.text);
  });
  useLayoutEffect(() => {
    latest.current = { value, problem, onSave, isNew };
  });
  // Saves the draft when the list is closed, before another one replaces it.
  useEffect(() => flush.current, []);

  const type = (next: string): void => {
    setTyped(next);
    clearTimeout(unsaved.current?.timer);
    unsaved.current = { text: next, timer: setTimeout(flush.current, REST_MS) };
    edit.unsavedDrafts.add(flush.current);
  };
  const wrong = problem(text);
  return {
    text,
    /** Message to show. */
    problem: typed === undefined ? undefined : wrong || undefined,
    type,
    /** Replaces the draft; the caller saves it. */
    settle: (next: string): void => {
      clearTimeout(unsaved.current?.timer);
      unsaved.current = undefined;
      edit.unsavedDrafts.delete(flush.current);
      setTyped(next);
    },
    flush: (): void => flush.current(),
    hold: (): void => setTyped((before) => before ?? value),
    leave: (): void => {
      flush.current();
      // An invalid text stays to be corrected; an empty field shows the old value again.
      if (!wrong) setTyped(undefined);
    },
  };
}
