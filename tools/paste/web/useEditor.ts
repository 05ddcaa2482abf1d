import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { draftOwner } from '#platform/web/app/draftOwner.ts';
import { storedDrafts, type Draft } from './storedDrafts.ts';

const SAVE_DEBOUNCE_MS = 300;
/** Maximum number of stashed drafts. Drafts that a visitor had before login can exceed it. */
const MAX_STASHED_DRAFTS = 3;

const stashText = (drafts: readonly string[], text: string): readonly string[] =>
  [...drafts, text].slice(-MAX_STASHED_DRAFTS);

const saveDraft = (owner: string, { text, isTyped, code }: Draft & { readonly isTyped: boolean }): void =>
  storedDrafts.saveDraft(owner, isTyped && text !== '' ? { text, code } : undefined);

interface MountedEditor {
  readonly saveDraft: () => void;
  readonly showFile: (content: string) => void;
}
/** The editor of the next owner reads the drafts before this one is unmounted, and gets files that are still read. */
let mounted: MountedEditor | undefined;

const readDrafts = (owner: string, code: string): ReturnType<typeof storedDrafts.read> => {
  mounted?.saveDraft();
  return storedDrafts.read(owner, code);
};

/**
 * Keeps the text of the editor. Drafts survive reloads and failures in browser storage.
 * A draft that is replaced by a paste is stashed, and can be restored.
 */
export function useEditor(code: string) {
  // The page is created again for another owner.
  const [owner] = useState(() => draftOwner.getCurrent() ?? '');
  const [{ draft, aside: storedStash }] = useState(() => readDrafts(owner, code));
  const [text, setText] = useState(draft?.text ?? '');
  const [isTyped, setIsTyped] = useState(draft !== undefined);
  const [stash, setStash] = useState(storedStash);
  const isRestored = useRef(draft !== undefined);
  const latest = useRef({ text, isTyped, code });
  useLayoutEffect(() => {
    latest.current = { text, isTyped, code };
  });

  useEffect(() => storedDrafts.saveStash(owner, stash), [owner, stash]);
  useEffect(() => {
    if (owner === '') return;
    // The visitor's editor may have saved a text after this one was rendered.
    const visitor = storedDrafts.read('', latest.current.code);
    const known = [latest.current.text, ...storedStash];
    const late = [...visitor.aside, ...(visitor.draft ? [visitor.draft.text] : [])].filter(
      (one) => !known.includes(one),
    );
    const last = late.at(-1);
    if (last !== undefined && latest.current.text === '') {
      setText(last);
      setIsTyped(true);
      late.pop();
    }
    if (late.length > 0) setStash((drafts) => [...drafts, ...late]);
    saveDraft(owner, latest.current);
    storedDrafts.dropVisitors();
  }, [owner, storedStash]);
  useEffect(() => {
    const timer = setTimeout(() => saveDraft(owner, { text, isTyped, code }), SAVE_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [owner, text, isTyped, code]);
  useEffect(() => {
    const saveNow = (): void => {
      // A draft is not saved after a logout.
      if (owner === '' || draftOwner.getCurrent() !== '') saveDraft(owner, latest.current);
    };
    const editor: MountedEditor = {
      saveDraft: saveNow,
      showFile: (content) => {
        const { current } = latest;
        if (current.isTyped && current.text !== '') setStash((drafts) => stashText(drafts, current.text));
        setText(content);
        setIsTyped(true);
      },
    };
    mounted = editor;
    window.addEventListener('pagehide', saveNow);
    return () => {
      if (mounted === editor) mounted = undefined;
      window.removeEventListener('pagehide', saveNow);
      saveNow();
    };
  }, [owner]);

  const stashDraft = (): void => {
    const { current } = latest;
    if (current.isTyped && current.text !== '') setStash((drafts) => stashText(drafts, current.text));
  };

  return {
    text,
    /** Whether the text was typed here and is not stored. */
    isTyped: isTyped && text !== '',
    hasAside: stash.length > 0,
    handleInput: (input: string): void => {
      setText(input);
      setIsTyped(true);
    },
    /** Replaces the text with the content of a file. */
    showFile: (content: string): void => mounted?.showFile(content),
    /** Replaces the text with a paste. */
    showPaste: (piece: string): void => {
      stashDraft();
      setText(piece);
      setIsTyped(false);
    },
    /** Restores the last stashed draft, and stashes the current one. */
    restoreDraft: (): void => {
      const { current } = latest;
      const last = stash.at(-1);
      if (last === undefined) return;
      setStash([...(current.isTyped && current.text !== '' ? [current.text] : []), ...stash.slice(0, -1)]);
      setText(last);
      setIsTyped(true);
    },
    /** Marks the text as stored, unless it was changed in the meantime. */
    markStored: (piece: string): void => {
      if (latest.current.text === piece) setIsTyped(false);
    },
    /** Returns whether the text is the draft of this page from before a reload. Returns true only once. */
    takeRestoredFlag: (): boolean => {
      const wasRestored = isRestored.current;
      isRestored.current = false;
      return wasRestored;
    },
    /** Returns the current text, for callers that had to wait. */
    getLatest: () => latest.current,
  };
}
