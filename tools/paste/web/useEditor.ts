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
/** The editor on the page. It saves its draft before the next one mounts, and gets files that were read meanwhile. */
let mountedEditor: MountedEditor | undefined;

function readDrafts(owner: string, code: string): ReturnType<typeof storedDrafts.read> {
  mountedEditor?.saveDraft();
  return storedDrafts.read(owner, code);
}

/**
 * The text of the editor. Drafts are saved in browser storage, so they survive reloads and failures.
 * A draft that is replaced by a paste is stashed, and can be restored.
 */
export function useEditor(code: string) {
  // The page remounts for another owner.
  const [owner] = useState(() => draftOwner.getCurrent() ?? '');
  const [{ draft, stash: storedStash }] = useState(() => readDrafts(owner, code));
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
    const knownTexts = [latest.current.text, ...storedStash];
    const newTexts = [...visitor.stash, ...(visitor.draft ? [visitor.draft.text] : [])].filter(
      (visitorText) => !knownTexts.includes(visitorText),
    );
    const newestText = newTexts.at(-1);
    if (newestText !== undefined && latest.current.text === '') {
      setText(newestText);
      setIsTyped(true);
      newTexts.pop();
    }
    if (newTexts.length > 0) setStash((drafts) => [...drafts, ...newTexts]);
    saveDraft(owner, latest.current);
    storedDrafts.removeVisitorDrafts();
  }, [owner, storedStash]);
  useEffect(() => {
    const timer = setTimeout(() => saveDraft(owner, { text, isTyped, code }), SAVE_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [owner, text, isTyped, code]);
  useEffect(() => {
    function saveNow(): void {
      // A draft is not saved after a logout.
      if (owner === '' || draftOwner.getCurrent() !== '') saveDraft(owner, latest.current);
    }
    const editor: MountedEditor = {
      saveDraft: saveNow,
      showFile: (content) => {
        const { current } = latest;
        if (current.isTyped && current.text !== '') setStash((drafts) => stashText(drafts, current.text));
        setText(content);
        setIsTyped(true);
      },
    };
    mountedEditor = editor;
    window.addEventListener('pagehide', saveNow);
    return () => {
      if (mountedEditor === editor) mountedEditor = undefined;
      window.removeEventListener('pagehide', saveNow);
      saveNow();
    };
  }, [owner]);

  return {
    text,
    /** Whether the text was typed here and is not stored. */
    isTyped: isTyped && text !== '',
    hasStash: stash.length > 0,
    handleInput: (input: string): void => {
      setText(input);
      setIsTyped(true);
    },
    /** Replaces the text with the content of a file. */
    showFile: (content: string): void => mountedEditor?.showFile(content),
    /** Replaces the text with a paste. */
    showPaste: (pasteText: string): void => {
      const { current } = latest;
      if (current.isTyped && current.text !== '') setStash((drafts) => stashText(drafts, current.text));
      setText(pasteText);
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
    markStored: (storedText: string): void => {
      if (latest.current.text === storedText) setIsTyped(false);
    },
    /** Returns whether the text is the draft of this page from before a reload. Returns true only once. */
    takeRestoredFlag: (): boolean => {
      const wasRestored = isRestored.current;
      isRestored.current = false;
      return wasRestored;
    },
    /** Returns the current text, for callers that had to wait. */
    getText: (): string => latest.current.text,
  };
}
