import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { draftOwner } from '#platform/web/app/draftOwner.ts';
import { storedDrafts, type Draft } from './storedDrafts.ts';

const SAVE_DEBOUNCE_MS = 300;
/** Maximum number of stashed drafts. Drafts that a visitor had before login can exceed it. */
const MAX_STASHED_DRAFTS = 3;

const stashText = (drafts: readonly string[], text: string): readonly string[] =>
  [...drafts, text].slice(-MAX_STASHED_DRAFTS);

/**
 * The text of the editor. Drafts are saved in browser storage, so they survive reloads and failures.
 * A draft that is replaced by a paste is stashed, and can be restored.
 * @param owner whose drafts these are. It may change once, to an account.
 */
export function useEditor(owner: string, code: string) {
  const [{ draft, stash: storedStash }] = useState(() => storedDrafts.read(owner, code));
  const [text, setText] = useState(draft?.text ?? '');
  const [isTyped, setIsTyped] = useState(draft !== undefined);
  const [stash, setStash] = useState(storedStash);
  /** The code of the page whose draft from before a reload is in the editor. */
  const [restoredCode, setRestoredCode] = useState(draft?.code);
  if (restoredCode !== undefined && restoredCode !== code) setRestoredCode(undefined);
  const [knownOwner, setKnownOwner] = useState(owner);
  // The user may have started to type before the account is known.
  if (owner !== knownOwner) {
    setKnownOwner(owner);
    const { draft: ownDraft, stash: ownStash } = storedDrafts.readKnown(owner, code);
    const isRestorable = text === '' && ownDraft !== undefined;
    if (isRestorable) {
      setText(ownDraft.text);
      setIsTyped(true);
      setRestoredCode(code);
    }
    const texts = ownDraft && !isRestorable ? [...ownStash, ownDraft.text] : ownStash;
    setStash([...new Set([...stash, ...texts])].filter((candidate) => !isTyped || candidate !== text));
  }
  const latest = useRef({ text, isTyped, code, restoredCode });
  useLayoutEffect(() => {
    latest.current = { text, isTyped, code, restoredCode };
  });
  /** Whether the stored draft is this editor's, and not one of another tab. */
  const hasStoredDraft = useRef(draft !== undefined);
  const saveDraft = useEffectEvent((state: Draft & { readonly isTyped: boolean }) => {
    const newDraft = state.isTyped && state.text !== '' ? { text: state.text, code: state.code } : undefined;
    if (newDraft || hasStoredDraft.current) storedDrafts.saveDraft(owner, newDraft);
    hasStoredDraft.current = newDraft !== undefined;
  });

  useEffect(() => storedDrafts.saveStash(owner, stash), [owner, stash]);
  useEffect(() => {
    if (!draftOwner.isAccount(owner)) return;
    // A stored draft that is not in the editor is in the stash.
    hasStoredDraft.current = true;
    saveDraft(latest.current);
    storedDrafts.removeAdopted(owner);
  }, [owner]);
  useEffect(() => {
    const timer = setTimeout(() => saveDraft({ text, isTyped, code }), SAVE_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, isTyped, code]);
  useEffect(() => {
    function saveNow(): void {
      // A draft is not saved after a logout.
      if (!draftOwner.isAccount(owner) || draftOwner.getCurrent() !== '') saveDraft(latest.current);
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
    hasRestoredDraft: (pageCode: string): boolean => latest.current.restoredCode === pageCode,
    /** Lets a paste replace the restored draft. */
    allowReplacement: (): void => setRestoredCode(undefined),
    /** Returns the current text, for callers that had to wait. */
    getText: (): string => latest.current.text,
  };
}
