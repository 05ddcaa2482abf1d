import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { draftOwner } from '#platform/web/app/draftOwner.ts';
import { keptTexts, type Draft } from './keptTexts.ts';

const WRITTEN_AFTER_MS = 300;
/** Typed texts that wait while a piece stands in the area. More only where a visitor's texts came to an account's. */
const MOST_ASIDE = 3;

const keepDraft = (owner: string, { text, isTyped, code }: Draft & { readonly isTyped: boolean }): void =>
  keptTexts.keepDraft(owner, isTyped && text !== '' ? { text, code } : undefined);

/** Writes the text on the page now. A new owner's area reads before the old area is cleaned up. */
let writeCurrent: (() => void) | undefined;

const readTexts = (owner: string, code: string): ReturnType<typeof keptTexts.read> => {
  writeCurrent?.();
  return keptTexts.read(owner, code);
};

/**
 * The text in the area. What is typed and not stored is kept in this browser, over reloads and failures; where a piece takes its place it
 * is put aside and can be brought back.
 */
export function useArea(code: string) {
  // The page is made anew for another owner.
  const [owner] = useState(() => draftOwner.getCurrent() ?? '');
  const [{ draft, aside: waiting }] = useState(() => readTexts(owner, code));
  const [text, setText] = useState(draft?.text ?? '');
  const [isTyped, setTyped] = useState(draft !== undefined);
  const [aside, setAside] = useState(waiting);
  const isRestored = useRef(draft !== undefined);
  const now = useRef({ text, isTyped, code });
  useLayoutEffect(() => {
    now.current = { text, isTyped, code };
  });

  useEffect(() => keptTexts.keepAside(owner, aside), [owner, aside]);
  useEffect(() => {
    if (owner === '') return;
    keepDraft(owner, now.current);
    keptTexts.dropVisitors();
  }, [owner]);
  useEffect(() => {
    const wait = setTimeout(() => keepDraft(owner, { text, isTyped, code }), WRITTEN_AFTER_MS);
    return () => clearTimeout(wait);
  }, [owner, text, isTyped, code]);
  useEffect(() => {
    const writeNow = (): void => {
      // Who left on purpose leaves no text behind.
      if (owner === '' || draftOwner.getCurrent() !== '') keepDraft(owner, now.current);
    };
    writeCurrent = writeNow;
    window.addEventListener('pagehide', writeNow);
    return () => {
      if (writeCurrent === writeNow) writeCurrent = undefined;
      window.removeEventListener('pagehide', writeNow);
      writeNow();
    };
  }, [owner]);

  const putAside = (): void => {
    const { current } = now;
    if (current.isTyped && current.text !== '') setAside((texts) => [...texts, current.text].slice(-MOST_ASIDE));
  };

  return {
    text,
    /** Whether it was typed here and is not stored. */
    isTyped: isTyped && text !== '',
    hasAside: aside.length > 0,
    type: (typed: string): void => {
      setText(typed);
      setTyped(true);
    },
    /** A file takes the place of what stands there. */
    fill: (content: string): void => {
      putAside();
      setText(content);
      setTyped(true);
    },
    /** A piece takes the place of what stands there. */
    show: (piece: string): void => {
      putAside();
      setText(piece);
      setTyped(false);
    },
    /** What was typed before comes back, and what is typed now waits in its place. */
    bringBack: (): void => {
      const { current } = now;
      const last = aside.at(-1);
      if (last === undefined) return;
      setAside([...(current.isTyped && current.text !== '' ? [current.text] : []), ...aside.slice(0, -1)]);
      setText(last);
      setTyped(true);
    },
    /** It is on the server now, unless it was typed on meanwhile. */
    stored: (piece: string): void => {
      if (now.current.text === piece) setTyped(false);
    },
    /** Whether it is what was typed on this very page before a reload; told once. */
    takeRestored: (): boolean => {
      const was = isRestored.current;
      isRestored.current = false;
      return was;
    },
    /** What stands there at this moment, for whoever had to wait. */
    current: () => now.current,
  };
}
