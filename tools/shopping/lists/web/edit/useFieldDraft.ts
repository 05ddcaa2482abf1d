import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useEdit } from './editContext.ts';

/** Text that is typed without such a pause is one undo step. */
const SAVE_DEBOUNCE_MS = 400;

interface FieldDraftOptions {
  /** Value in the list. */
  readonly value: string;
  /** Returns why a text is invalid; '' if it is not saved but needs no message, such as an empty field. */
  readonly findProblem: (text: string) => string | undefined;
  readonly onSave: (text: string) => void;
  /** Whether the list does not have the thing yet. Then a text that equals the value is saved too. */
  readonly isNew?: () => boolean;
}

/**
 * The draft of a field whose value others may change. A focused field shows the draft. It is saved after a pause,
 * on blur, and when the field or page is closed. An invalid text stays in the field, with the reason.
 */
export function useFieldDraft({ value, findProblem, onSave, isNew }: FieldDraftOptions) {
  const edit = useEdit();
  const [draft, setDraft] = useState<string>();
  const text = draft ?? value;
  const latest = useRef({ value, findProblem, onSave, isNew });
  const unsaved = useRef<{ readonly text: string; readonly timer: ReturnType<typeof setTimeout> }>(undefined);
  const flush = useRef((): void => {
    const { current } = unsaved;
    if (!current) return;
    clearTimeout(current.timer);
    unsaved.current = undefined;
    edit.unsavedDrafts.delete(flush.current);
    const options = latest.current;
    const isChanged = current.text !== options.value || options.isNew?.() === true;
    if (isChanged && options.findProblem(current.text) === undefined) options.onSave(current.text);
  });
  useLayoutEffect(() => {
    latest.current = { value, findProblem, onSave, isNew };
  });
  // Saves the draft when the list is closed, before another one replaces it.
  useEffect(() => flush.current, []);

  function setText(newText: string): void {
    setDraft(newText);
    clearTimeout(unsaved.current?.timer);
    unsaved.current = { text: newText, timer: setTimeout(flush.current, SAVE_DEBOUNCE_MS) };
    edit.unsavedDrafts.add(flush.current);
  }
  const problem = findProblem(text);
  return {
    text,
    /** Message to show. */
    problem: draft === undefined ? undefined : problem || undefined,
    setText,
    /** Replaces the draft; the caller saves it. */
    replace: (newText: string): void => {
      clearTimeout(unsaved.current?.timer);
      unsaved.current = undefined;
      edit.unsavedDrafts.delete(flush.current);
      setDraft(newText);
    },
    flush: (): void => flush.current(),
    startEditing: (): void => setDraft((current) => current ?? value),
    stopEditing: (): void => {
      flush.current();
      // An invalid text stays to be corrected. An empty field shows the old value again.
      if (!problem) setDraft(undefined);
    },
  };
}
