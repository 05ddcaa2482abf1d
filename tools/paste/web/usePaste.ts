import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { CallError } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { createNavigationState } from '#platform/web/app/navigation.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { paste } from '../contract.ts';
import { pathTo, placeFrom, type Place, checkText, type Keep } from '../domain/paste.ts';
import { pastePage } from '../page.ts';
import { createKeyProof, isKey, seal, unseal } from './encryption.ts';
import { useArea } from './useEditor.ts';

export const MY_PIECES = ['mypastes'] as const;

/** A piece as the page has it. */
export interface Shown extends Place {
  /** ISO 8601. */
  readonly expires: string;
  readonly burns: boolean;
}

export interface Status {
  readonly tone: 'quiet' | 'good' | 'bad';
  readonly text: string;
}

export interface Wishes {
  readonly keep: Keep;
  readonly encrypt: boolean;
  readonly burn: boolean;
}

const WAITING: Status = { tone: 'quiet', text: 'waiting...' };
const OK: Status = { tone: 'good', text: 'ok' };

/** The status line's words (specification 1, sections 2 and 8). */
const wordsOf = (error: Error): string => {
  if (!(error instanceof CallError)) return error.message;
  return error.status > 0
    ? `HTTP error! Status: ${error.status}`
    : `${error.message}. What is typed is kept in this browser`;
};
const said = (error: Error): Status => ({ tone: 'bad', text: wordsOf(error) });

/** @throws Refusal where this page could not read the piece: before it burns. */
const checkKey = (isEncrypted: boolean | undefined, key: string): void => {
  if (isEncrypted !== true) return;
  if (!isKey(key)) throw new Refusal('This text is encrypted: open it by its whole link, which has the key');
  if (!isSecureContext()) throw new Refusal('This text is encrypted, and reading it needs https');
};

/** Gets a piece; without `really` one that burns is announced and not given. */
const get = async ({ code, key }: Place, really: boolean) => {
  const { clipmessage, ...about } = await call(paste, {
    style: 'retreive',
    inputValue: code,
    ...(really ? {} : { careful: true }),
    ...(isKey(key) && isSecureContext() ? { keyproof: await createKeyProof(key) } : {}),
  });
  checkKey(about.encrypted, key);
  const shown: Shown = { code: about.code ?? code, key, expires: about.expires ?? '', burns: about.burns ?? false };
  if (clipmessage === undefined) return { shown, text: undefined };
  return { shown, text: about.encrypted ? await unseal(clipmessage, key) : clipmessage };
};

const put = async (text: string, { keep, encrypt, burn }: Wishes): Promise<Shown> => {
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

/** What the page does: it opens the piece of its address, else the newest; stores what stands in the area; and says how that went. */
export function usePiece() {
  const { search, hash } = useLocation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const written = new URLSearchParams(search).get('code') ?? '';
  const place: Place = { code: written === '' ? '' : placeFrom(written).code, key: hash.slice(1) };
  const area = useArea(place.code);
  const [shown, setShown] = useState<Shown>();
  const [asking, setAsking] = useState<Shown>();
  const [status, setStatus] = useState(WAITING);
  const goTo = (path: string, replace: boolean): void =>
    void navigate(path, { replace, state: createNavigationState() });

  // The same outcome a second time is news, to screen readers too.
  const beginAnew = (): void => setStatus(WAITING);

  const opening = useMutation({
    mutationFn: async ({ at, really }: { readonly at: Place; readonly really: boolean }) => ({
      at,
      ...(await get(at, really)),
    }),
    onMutate: beginAnew,
    onSuccess: ({ at, shown: found, text }) => {
      // The newest comes by itself and does not push away what was typed meanwhile.
      if (at.code === '' && area.current().text !== '') return;
      setAsking(text === undefined ? found : undefined);
      setShown(text === undefined || found.burns ? undefined : found);
      setStatus(text === undefined ? WAITING : OK);
      if (text === undefined) return;
      area.show(text);
      if (found.burns) goTo(pastePage.path, true);
    },
    onError: (error, { at }) => {
      if (at.code !== '' || !(error instanceof Refusal)) setStatus(said(error));
      if (at.code !== '') setAsking(undefined);
    },
  });

  const storing = useMutation({
    mutationFn: async ({ text, wishes }: { readonly text: string; readonly wishes: Wishes }) => put(text, wishes),
    onMutate: beginAnew,
    onSuccess: async (kept, { text }) => {
      area.stored(text);
      setShown(kept);
      setStatus(OK);
      // A reload finds the piece again, an encrypted one too.
      goTo(pathTo(kept), true);
      await queries.invalidateQueries({ queryKey: MY_PIECES });
    },
    onError: (error) => setStatus(said(error)),
  });

  const openPlace = useEffectEvent((at: Place) => {
    if (at.code === '' ? shown !== undefined || area.text !== '' : at.code === shown?.code && at.key === shown.key)
      return;
    if (at.code !== '' && area.takeRestored()) return;
    opening.mutate({ at, really: false });
  });
  useEffect(() => openPlace({ code: place.code, key: place.key }), [place.code, place.key]);

  return {
    area,
    status,
    setStatus,
    shown,
    /** A piece that burns and waits for the word. */
    asking,
    show: () => asking && opening.mutate({ at: asking, really: true }),
    dismiss: () => {
      setAsking(undefined);
      goTo(pastePage.path, true);
    },
    isOpening: opening.isPending,
    isStoring: storing.isPending,
    submit: (text: string, wishes: Wishes) => {
      if (!storing.isPending) storing.mutate({ text, wishes });
    },
    /** Opens what somebody typed as a code. */
    openTyped: (typed: string) => {
      const at = placeFrom(typed);
      if (at.code === '') setStatus({ tone: 'bad', text: 'Enter a code' });
      else if (at.code === place.code && at.key === place.key) opening.mutate({ at, really: false });
      else goTo(pathTo(at), false);
    },
    /** The piece is deleted: its code leads nowhere. */
    forget: (code: string) => {
      if (code !== shown?.code) return;
      setShown(undefined);
      setStatus(WAITING);
      goTo(pastePage.path, true);
    },
  };
}
