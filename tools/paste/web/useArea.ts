import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { remember } from '#platform/web/remember.ts';

const DRAFT = 'paste.draft';
const ASIDE = 'paste.aside';
const WRITTEN_AFTER_MS = 300;
/** Typed texts that wait while a piece stands in the area. */
const MOST_ASIDE = 3;

interface Draft {
  readonly text: string;
  /** The code of the page's address while it was typed; '' for none. */
  readonly code: string;
}

const readDraft = (): Draft | undefined => {
  const kept = remember.get(DRAFT);
  return kept ? (JSON.parse(kept) as Draft) : undefined;
};
const keepDraft = ({ text, isTyped, code }: Draft & { readonly isTyped: boolean }): void =>
  remember.set(DRAFT, isTyped && text !== '' ? JSON.stringify({ text, code }) : '');
const readAside = (): readonly string[] => JSON.parse(remember.get(ASIDE) || '[]') as readonly string[];

/**
 * The text in the area. What is typed and not stored is kept in this browser, over reloads and failures; where a piece takes its place it
 * is put aside and can be brought back.
 */
export const useArea = (code: string) => {
  const [draft] = useState(readDraft);
  const belongs = draft?.code === code;
  const [text, setText] = useState(belongs ? draft.text : '');
  const [isTyped, setTyped] = useState(belongs);
  const [aside, setAside] = useState<readonly string[]>(() => {
    const kept = readAside();
    return draft && !belongs ? [...kept, draft.text].slice(-MOST_ASIDE) : kept;
  });
  const isRestored = useRef(belongs);
  const now = useRef({ text, isTyped, code });
  useLayoutEffect(() => {
    now.current = { text, isTyped, code };
  });

  useEffect(() => remember.set(ASIDE, aside.length === 0 ? '' : JSON.stringify(aside)), [aside]);
  useEffect(() => {
    const wait = setTimeout(() => keepDraft({ text, isTyped, code }), WRITTEN_AFTER_MS);
    return () => clearTimeout(wait);
  }, [text, isTyped, code]);
  useEffect(() => {
    const write = (): void => keepDraft(now.current);
    window.addEventListener('pagehide', write);
    return () => {
      window.removeEventListener('pagehide', write);
      write();
    };
  }, []);

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
};
