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

/**
 * The text of the editor. Drafts are saved in browser storage, so they survive reloads and failures.
 * A draft that is replaced by a paste is stashed, and can be restored.
 * @param owner the account whose drafts these are; '' until it is known, and for visitors
 */
export function useEditor(owner: string, code: string) {
  const [{ draft, stash: storedStash }] = useState(() => storedDrafts.read(owner, code));
  const [text, setText] = useState(draft?.text ?? '');
  const [isTyped, setIsTyped] = useState(draft !== undefined);
  const [stash, setStash] = useState(storedStash);
  /** The code of the page whose draft was restored, until something else replaces it. */
  const [restoredCode, setRestoredCode] = useState(draft?.code);
  const [knownOwner, setKnownOwner] = useState(owner);
  // Its user may have started to type before the account is known.
  if (owner !== knownOwner) {
    setKnownOwner(owner);
    const stored = storedDrafts.readOwn(owner, code);
    let typedText = isTyped ? text : '';
    if (stored.draft && typedText === '') {
      typedText = stored.draft.text;
      setText(typedText);
      setIsTyped(true);
      setRestoredCode(code);
    }
    const texts = stored.draft ? [...stored.stash, stored.draft.text] : stored.stash;
    setStash([...stash, ...texts.filter((candidate) => candidate !== typedText && !stash.includes(candidate))]);
  }
  const latest = useRef({ text, isTyped, code, restoredCode });
  useLayoutEffect(() => {
    latest.current = { text, isTyped, code, restoredCode };
  });

  useEffect(() => storedDrafts.saveStash(owner, stash), [owner, stash]);
  useEffect(() => {
    if (owner === '') return;
    saveDraft(owner, latest.current);
    storedDrafts.removeVisitorDrafts();
  }, [owner]);
  useEffect(() => {
    const timer = setTimeout(() => saveDraft(owner, { text, isTyped, code }), SAVE_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [owner, text, isTyped, code]);
  useEffect(() => {
    function saveNow(): void {
      // A draft is not saved after a logout.
      if (owner === '' || draftOwner.getCurrent() !== '') saveDraft(owner, latest.current);
    }
    window.addEventListener('pagehide', saveNow);
    return () => {
      window.removeEventListener('pagehide', saveNow);
      saveNow();
    };
  }, [owner]);

  /** Replaces the text. A draft is stashed. */
  function replaceText(newText: string, isNewTyped: boolean): void {
    const { current } = latest;
    if (current.isTyped && current.text !== '') setStash((drafts) => stashText(drafts, current.text));
    setRestoredCode(undefined);
    setText(newText);
    setIsTyped(isNewTyped);
  }

  return {
    text,
    /** Whether the text was typed here and is not stored. */
    isTyped: isTyped && text !== '',
    hasStash: stash.length > 0,
    handleInput: (input: string): void => {
      setText(input);
      setIsTyped(true);
    },
    showFile: (content: string): void => replaceText(content, true),
    showPaste: (pasteText: string): void => replaceText(pasteText, false),
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
    /** Returns whether the text is the draft of the page with this code, from before a reload. */
    hasDraftOf: (pageCode: string): boolean => latest.current.restoredCode === pageCode,
    /** Returns the current text, for callers that had to wait. */
    getText: (): string => latest.current.text,
  };
}
