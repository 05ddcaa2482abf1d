import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { CallError } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { createNavigationState } from '#platform/web/app/navigation.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { paste } from '../contract.ts';
import { pathTo, placeFrom, type PasteReference, checkText, type Keep } from '../domain/paste.ts';
import { pastePage } from '../page.ts';
import { createKeyProof, isKey, seal, unseal } from './encryption.ts';
import { useEditor } from './useEditor.ts';

export const MY_PIECES = ['mypastes'] as const;

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
  readonly keep: Keep;
  readonly encrypt: boolean;
  readonly burn: boolean;
}

const WAITING: Status = { tone: 'quiet', text: 'waiting...' };
const OK: Status = { tone: 'good', text: 'ok' };

/** Formats an error for the status line (docs/specification/paste.md section 1 and section 5). */
const formatError = (error: Error): string => {
  if (!(error instanceof CallError)) return error.message;
  return error.status > 0
    ? `HTTP error! Status: ${error.status}`
    : `${error.message}. Your text is saved in this browser`;
};
const toErrorStatus = (error: Error): Status => ({ tone: 'bad', text: formatError(error) });

/** Checks that this page can decrypt the paste, before it burns. @throws Refusal if it can't. */
const assertReadable = (isEncrypted: boolean | undefined, key: string): void => {
  if (isEncrypted !== true) return;
  if (!isKey(key))
    throw new Refusal(
      'paste.key_missing',
      'This paste is encrypted. Open it with its full link, which contains the key',
    );
  if (!isSecureContext())
    throw new Refusal(
      'paste.needs_https',
      'This paste is encrypted, and decrypting it needs https. Open the link over https',
    );
};

/** Retrieves a paste. Without `really`, a paste that burns is only announced, and not returned. */
const retrievePaste = async ({ code, key }: PasteReference, really: boolean) => {
  const { clipmessage, ...about } = await call(paste, {
    style: 'retreive',
    inputValue: code,
    ...(really ? {} : { careful: true }),
    ...(isKey(key) && isSecureContext() ? { keyproof: await createKeyProof(key) } : {}),
  });
  assertReadable(about.encrypted, key);
  const shown: StoredPaste = {
    code: about.code ?? code,
    key,
    expires: about.expires ?? '',
    burns: about.burns ?? false,
  };
  if (clipmessage === undefined) return { shown, text: undefined };
  return { shown, text: about.encrypted ? await unseal(clipmessage, key) : clipmessage };
};

const storePaste = async (text: string, { keep, encrypt, burn }: PasteOptions): Promise<StoredPaste> => {
  checkText(text);
  const { sealed, key } = encrypt ? await seal(text) : { sealed: text, key: '' };
  const { code = '', expires = '' } = await call(paste, {
    inputValue: sealed,
    keep,
    burn,
    encrypted: encrypt,
    ...(encrypt ? { keyproof: await createKeyProof(key) } : {}),
  });
  return { code, key, expires, burns: burn };
};

/** Opens the paste of the address or the newest one, stores the text of the editor, and reports the status of both. */
export function usePiece() {
  const { search, hash } = useLocation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const codeParam = new URLSearchParams(search).get('code') ?? '';
  const place: PasteReference = { code: codeParam === '' ? '' : placeFrom(codeParam).code, key: hash.slice(1) };
  const area = useEditor(place.code);
  const [shown, setShown] = useState<StoredPaste>();
  const [asking, setAsking] = useState<StoredPaste>();
  const [status, setStatus] = useState(WAITING);
  const goTo = (path: string, replace: boolean): void =>
    void navigate(path, { replace, state: createNavigationState() });

  // Clears the status, so that screen readers announce the same outcome a second time.
  const clearStatus = (): void => setStatus(WAITING);

  const openMutation = useMutation({
    mutationFn: async ({ at, really }: { readonly at: PasteReference; readonly really: boolean }) => ({
      at,
      ...(await retrievePaste(at, really)),
    }),
    onMutate: clearStatus,
    onSuccess: ({ at, shown: opened, text }) => {
      // The newest paste loads without a request of the user, so it must not replace a draft.
      if (at.code === '' && area.getLatest().text !== '') return;
      setAsking(text === undefined ? opened : undefined);
      setShown(text === undefined || opened.burns ? undefined : opened);
      setStatus(text === undefined ? WAITING : OK);
      if (text === undefined) return;
      area.showPaste(text);
      if (opened.burns) goTo(pastePage.path, true);
    },
    onError: (error, { at }) => {
      if (at.code !== '' || !(error instanceof Refusal)) setStatus(toErrorStatus(error));
      if (at.code !== '') setAsking(undefined);
    },
  });

  const storeMutation = useMutation({
    mutationFn: async ({ text, options }: { readonly text: string; readonly options: PasteOptions }) =>
      storePaste(text, options),
    onMutate: clearStatus,
    onSuccess: async (stored, { text }) => {
      area.markStored(text);
      setShown(stored);
      setStatus(OK);
      // After a reload the address opens the paste again, also an encrypted one.
      goTo(pathTo(stored), true);
      await queryClient.invalidateQueries({ queryKey: MY_PIECES });
    },
    onError: (error) => setStatus(toErrorStatus(error)),
  });

  const openPlace = useEffectEvent((at: PasteReference) => {
    if (at.code === '' ? shown !== undefined || area.text !== '' : at.code === shown?.code && at.key === shown.key)
      return;
    if (at.code !== '' && area.takeRestoredFlag()) return;
    openMutation.mutate({ at, really: false });
  });
  useEffect(() => openPlace({ code: place.code, key: place.key }), [place.code, place.key]);

  return {
    area,
    status,
    setStatus,
    shown,
    /** A paste that burns and waits for a confirmation. */
    asking,
    show: () => asking && openMutation.mutate({ at: asking, really: true }),
    dismiss: () => {
      setAsking(undefined);
      goTo(pastePage.path, true);
    },
    isOpening: openMutation.isPending,
    isStoring: storeMutation.isPending,
    submit: (text: string, options: PasteOptions) => {
      if (!storeMutation.isPending) storeMutation.mutate({ text, options });
    },
    /** Opens a paste by the code or link that the user entered. */
    openTyped: (input: string) => {
      const at = placeFrom(input);
      if (at.code === '') setStatus({ tone: 'bad', text: 'Enter a code or a link' });
      else if (at.code === place.code && at.key === place.key) openMutation.mutate({ at, really: false });
      else goTo(pathTo(at), false);
    },
    /** Closes a paste that was deleted. */
    forget: (code: string) => {
      if (code !== shown?.code) return;
      setShown(undefined);
      setStatus(WAITING);
      goTo(pastePage.path, true);
    },
  };
}
