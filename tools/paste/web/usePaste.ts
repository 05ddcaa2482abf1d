import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { CallError, DISK_FULL_STATUS } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { createNavigationState } from '#platform/web/app/navigation.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { paste, type RetentionPeriod } from '../contract.ts';
import { formatPastePath, parsePasteReference, validateText, type PasteReference } from '../domain/paste.ts';
import { pastePage } from '../page.ts';
import { createKeyProof, decryptText, encryptText, isEncryptionKey } from './encryption.ts';
import { useEditor } from './useEditor.ts';

export const MY_PASTES_QUERY_KEY = ['mypastes'] as const;

/** The paste that the page shows. */
export interface StoredPaste extends PasteReference {
  /** ISO 8601. */
  readonly expires: string;
  readonly burns: boolean;
}

export interface Status {
  readonly tone: 'quiet' | 'good' | 'bad';
  readonly text: string;
}

export interface PasteOptions {
  readonly retention: RetentionPeriod;
  readonly encrypt: boolean;
  readonly burn: boolean;
}

const WAITING: Status = { tone: 'quiet', text: 'waiting...' };
const OK: Status = { tone: 'good', text: 'ok' };

/** Formats an error for the status line (docs/specification/paste.md section 1 and section 5). */
function formatError(error: Error): string {
  if (!(error instanceof CallError) || error.status === DISK_FULL_STATUS) return error.message;
  return error.status > 0
    ? `HTTP error! Status: ${error.status}`
    : `${error.message}. Your text is saved in this browser`;
}
const toErrorStatus = (error: Error): Status => ({ tone: 'bad', text: formatError(error) });

/** Checks that this page can decrypt a paste, before the paste burns. @throws Refusal if it can't. */
function validateDecryptable(key: string): void {
  if (!isEncryptionKey(key))
    throw new Refusal(
      'paste.key_missing',
      'This paste is encrypted. Open it with its full link, which contains the key',
    );
  if (!isSecureContext())
    throw new Refusal(
      'paste.needs_https',
      'This paste is encrypted, and decrypting it needs https. Open the link over https',
    );
}

/** Retrieves a paste. Without `shouldReveal`, a paste that burns is not deleted, and its `text` is undefined. */
async function retrievePaste({ code, key }: PasteReference, shouldReveal: boolean) {
  const { clipmessage, ...response } = await call(paste, {
    style: 'retreive',
    inputValue: code,
    ...(shouldReveal ? {} : { careful: true }),
    ...(isEncryptionKey(key) && isSecureContext() ? { keyproof: await createKeyProof(key) } : {}),
  });
  if (response.encrypted === true) validateDecryptable(key);
  const stored: StoredPaste = {
    code: response.code ?? code,
    key,
    expires: response.expires ?? '',
    burns: response.burns ?? false,
  };
  if (clipmessage === undefined) return { stored, text: undefined };
  return { stored, text: response.encrypted ? await decryptText(clipmessage, key) : clipmessage };
}

async function storePaste(text: string, { retention, encrypt, burn }: PasteOptions): Promise<StoredPaste> {
  validateText(text);
  const { ciphertext, key } = encrypt ? await encryptText(text) : { ciphertext: text, key: '' };
  const { code = '', expires = '' } = await call(paste, {
    inputValue: ciphertext,
    keep: retention,
    burn,
    encrypted: encrypt,
    ...(encrypt ? { keyproof: await createKeyProof(key) } : {}),
  });
  return { code, key, expires, burns: burn };
}

/** Opens the paste of the address or the newest one, stores the text of the editor, and reports the status of both. */
export function usePaste(owner: string) {
  const { search, hash } = useLocation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const codeParam = new URLSearchParams(search).get('code') ?? '';
  const code = codeParam === '' ? '' : parsePasteReference(codeParam).code;
  const key = hash.slice(1);
  const editor = useEditor(owner, code);
  const [activePaste, setActivePaste] = useState<StoredPaste>();
  const [unrevealedPaste, setUnrevealedPaste] = useState<StoredPaste>();
  const [status, setStatus] = useState(WAITING);
  const goTo = (path: string, options?: { readonly replace: true }): void =>
    void navigate(path, { ...options, state: createNavigationState() });

  // Clears the status, so that screen readers announce the same outcome a second time.
  const clearStatus = (): void => setStatus(WAITING);

  /** Returns whether the editor has a text that the paste of the address must not replace. */
  const hasDraft = (pageCode: string): boolean =>
    pageCode === '' ? editor.getText() !== '' : editor.hasRestoredDraft(pageCode);

  const openMutation = useMutation({
    mutationFn: async ({
      reference,
      shouldReveal = false,
    }: {
      readonly reference: PasteReference;
      readonly shouldReveal?: boolean;
      /** Whether it may replace a draft, because the user requested it again. */
      readonly isRequested: boolean;
    }) => retrievePaste(reference, shouldReveal),
    onMutate: clearStatus,
    onSuccess: ({ stored, text }, { reference, isRequested }) => {
      if (!isRequested && hasDraft(reference.code)) return;
      setUnrevealedPaste(text === undefined ? stored : undefined);
      setActivePaste(text === undefined || stored.burns ? undefined : stored);
      setStatus(text === undefined ? WAITING : OK);
      if (text === undefined) return;
      editor.showPaste(text);
      if (stored.burns) goTo(pastePage.path, { replace: true });
    },
    onError: (error, { reference }) => {
      // Having no newest paste yet is not worth an error.
      if (reference.code !== '' || !(error instanceof Refusal)) setStatus(toErrorStatus(error));
      if (reference.code !== '') setUnrevealedPaste(undefined);
    },
  });

  const storeMutation = useMutation({
    mutationFn: async ({ text, options }: { readonly text: string; readonly options: PasteOptions }) =>
      storePaste(text, options),
    onMutate: clearStatus,
    onSuccess: async (stored, { text }) => {
      editor.markStored(text);
      setActivePaste(stored);
      setStatus(OK);
      // A reload opens the paste again: the address has its code and key.
      goTo(formatPastePath(stored), { replace: true });
      await queryClient.invalidateQueries({ queryKey: MY_PASTES_QUERY_KEY });
    },
    onError: (error) => setStatus(toErrorStatus(error)),
  });

  /** Opens the paste of the address, unless it is open already or would replace a draft. */
  const openFromAddress = useEffectEvent((reference: PasteReference) => {
    const isOpen =
      activePaste !== undefined &&
      (reference.code === '' || (reference.code === activePaste.code && reference.key === activePaste.key));
    if (!isOpen && !hasDraft(reference.code)) openMutation.mutate({ reference, isRequested: false });
  });
  useEffect(() => openFromAddress({ code, key }), [code, key]);

  return {
    editor,
    status,
    setStatus,
    /** The stored paste in the editor. */
    activePaste,
    /** A paste that burns, before the user confirms to view it. */
    unrevealedPaste,
    reveal: () =>
      unrevealedPaste && openMutation.mutate({ reference: unrevealedPaste, shouldReveal: true, isRequested: true }),
    dismiss: () => {
      setUnrevealedPaste(undefined);
      goTo(pastePage.path, { replace: true });
    },
    isOpening: openMutation.isPending,
    isStoring: storeMutation.isPending,
    submit: (text: string, options: PasteOptions) => {
      if (!storeMutation.isPending) storeMutation.mutate({ text, options });
    },
    /** Opens a paste by the code or link that the user entered. */
    open: (input: string) => {
      const reference = parsePasteReference(input);
      if (reference.code === '') setStatus({ tone: 'bad', text: 'Enter a code or a link' });
      else if (reference.code === code && reference.key === key) openMutation.mutate({ reference, isRequested: true });
      else {
        editor.allowReplacement();
        goTo(formatPastePath(reference));
      }
    },
    /** Removes the code of a deleted paste from the address. Its text stays in the editor. */
    handleDeleted: (deletedCode: string) => {
      if (deletedCode !== activePaste?.code) return;
      setActivePaste(undefined);
      setStatus(WAITING);
      goTo(pastePage.path, { replace: true });
    },
  };
}
