import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { call } from '#platform/web/app/call.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { spmessage } from '../contract.ts';
import { checkLetter, type Letter } from '../domain/visitor.ts';

export interface Status {
  readonly isDone: boolean;
  readonly text: string;
  readonly more?: string;
}

const DRAFT = 'spmessage';
const EMPTY: Letter = { name: '', text: '' };
const TOO_MANY = 429;
const DRAFT_SAFE_MESSAGE = 'What you wrote stays here.';

const draftIn = (kept: string | undefined): Letter => {
  if (!kept) return EMPTY;
  try {
    const { name, text } = JSON.parse(kept) as { readonly name?: unknown; readonly text?: unknown };
    return { name: typeof name === 'string' ? name : '', text: typeof text === 'string' ? text : '' };
  } catch {
    return EMPTY; // written by another version
  }
};

/** In the specification's words (1, section 8), and what they mean to whoever wrote. */
const failureOf = (error: Error): Status => {
  if (!(error instanceof CallError)) return { isDone: false, text: error.message };
  if (error.status === 0) return { isDone: false, text: error.message, more: DRAFT_SAFE_MESSAGE };
  const why = error.status === TOO_MANY ? 'Five messages an hour are taken from one address; try again later.' : '';
  return { isDone: false, text: `HTTP error! Status: ${error.status}`, more: `${why} ${DRAFT_SAFE_MESSAGE}`.trim() };
};

/** The form's fields, kept in this browser until they are sent, and what came of the last try. */
export const useSpMessage = () => {
  const [kept] = useBrowserStorage(DRAFT);
  const letter = draftIn(kept);
  const [trap, fillTrap] = useState('');
  const send = useMutation({
    mutationFn: async (sent: Letter) => {
      // What it would refuse need not count towards the few that an address has.
      checkLetter(sent);
      await call(spmessage, {
        type: 'toserver',
        message: sent.name,
        message2: sent.text,
        ...(trap === '' ? {} : { website: trap }),
      });
    },
    onSuccess: (_, sent) => {
      // What was written since stays, in another window too.
      const now = draftIn(browserStorage.get(DRAFT));
      if (now.name === sent.name && now.text === sent.text) browserStorage.set(DRAFT, '');
    },
  });
  const write = (next: Letter): void => {
    browserStorage.set(DRAFT, JSON.stringify(next));
    if (!send.isPending) send.reset();
  };
  const submit = (): void => {
    if (!send.isPending) send.mutate(letter);
  };
  const statusNow = (): Status | undefined => {
    if (send.isSuccess) return { isDone: true, text: 'ok' };
    return send.error ? failureOf(send.error) : undefined;
  };
  return { letter, write, trap, fillTrap, submit, status: statusNow(), isSending: send.isPending };
};
