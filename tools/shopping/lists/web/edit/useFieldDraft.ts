import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useEdit } from './editContext.ts';

/** Behind the last stroke. A step of undo is what was typed without a rest. */
const REST_MS = 400;

interface TypedOptions {
  /** As the list has it. */
  readonly value: string;
  /** Why a text cannot be taken, as a sentence; '' where it is not told but nothing is wrong with it, as an empty field. */
  readonly problem: (text: string) => string | undefined;
  readonly tell: (text: string) => void;
  /** Whether the list does not have it yet: then a text that equals the value is told too. */
  readonly isNew?: () => boolean;
}

/**
 * A field over a value that others may change. While it has the focus it shows what is typed, whatever comes; that is told after a rest, when
 * the focus leaves, and when the field or the page goes. What cannot be taken stays in the field with the reason.
 */
export function useTyped({ value, problem, tell, isNew }: TypedOptions) {
  const edit = useEdit();
  const [typed, setTyped] = useState<string>();
  const text = typed ?? value;
  const latest = useRef({ value, problem, tell, isNew });
  const untold = useRef<{ readonly text: string; readonly timer: ReturnType<typeof setTimeout> }>(undefined);
  const flush = useRef((): void => {
    const waiting = untold.current;
    if (!waiting) return;
    clearTimeout(waiting.timer);
    untold.current = undefined;
    edit.untold.delete(flush.current);
    const { value: known, problem: whyNot, tell: say, isNew: isUnknown } = latest.current;
    const isNews = waiting.text !== known || isUnknown?.() === true;
    if (isNews && whyNot(waiting.text) === undefined) say(waiting.text);
  });
  useLayoutEffect(() => {
    latest.current = { value, problem, tell, isNew };
  });
  // It goes with the list that it belongs to, before another one stands here.
  useEffect(() => flush.current, []);

  const type = (next: string): void => {
    setTyped(next);
    clearTimeout(untold.current?.timer);
    untold.current = { text: next, timer: setTimeout(flush.current, REST_MS) };
    edit.untold.add(flush.current);
  };
  const wrong = problem(text);
  return {
    text,
    /** A sentence to show. */
    problem: typed === undefined ? undefined : wrong || undefined,
    type,
    /** Takes this in place of what was typed; whoever calls it tells it. */
    settle: (next: string): void => {
      clearTimeout(untold.current?.timer);
      untold.current = undefined;
      edit.untold.delete(flush.current);
      setTyped(next);
    },
    flush: (): void => flush.current(),
    hold: (): void => setTyped((before) => before ?? value),
    leave: (): void => {
      flush.current();
      // A wrong text stays to be mended; an empty field shows the old value again.
      if (!wrong) setTyped(undefined);
    },
  };
}
