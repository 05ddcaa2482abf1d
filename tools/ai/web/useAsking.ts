import { useState } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { aiq, aiqLong, aistop, GET_LIMIT_BYTES, NOT_OK } from '../contract.ts';
import { withQuestion, type Thread } from '../domain/thread.ts';

/** What an address would not carry as it is: a long prompt, or one with a percent sign (see `asTyped`). */
const needsBody = (prompt: string): boolean =>
  prompt.includes('%') || encodeURIComponent(prompt.toWellFormed()).length > GET_LIMIT_BYTES;

interface AskingDeps {
  readonly change: (by: (thread: Thread) => Thread) => void;
  readonly refresh: () => void;
  readonly isHearing: () => boolean;
}

/** Asking and stopping. `why` is what the server said to a request that it did not answer with 200. */
export const useAsking = ({ change, refresh, isHearing }: AskingDeps) => {
  const [busy, setBusy] = useState(false);
  const [why, setWhy] = useState<string>();

  /** Gives whether the question was taken. */
  const ask = async (prompt: string): Promise<boolean> => {
    setBusy(true);
    setWhy(undefined);
    const isHeard = isHearing();
    try {
      const { answerid, waiting } = await call(needsBody(prompt) ? aiqLong : aiq, { q: prompt, id: '0' });
      change((thread) => withQuestion(thread, { answerid, prompt, waiting }));
      // It may have ended before this page heard anything.
      if (!isHeard) refresh();
      return true;
    } catch (error) {
      if (error instanceof CallError && error.status !== 0) {
        notices.add('bad', NOT_OK);
        setWhy(error.message);
      } else showError(error);
      return false;
    } finally {
      setBusy(false);
    }
  };

  const stop = async (ids: readonly number[]): Promise<void> => {
    for (const answerid of ids)
      try {
        await call(aistop, { answerid });
      } catch (error) {
        // It ended before it was stopped.
        if (error instanceof Refusal) refresh();
        else showError(error);
      }
  };

  return { ask, stop, busy, why };
};
