import { CallError } from '#platform/contract/client.ts';
import { call } from '#platform/web/app/call.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { countplay } from '../../contract.ts';
import { countsAsPlayed, heardAfter } from '../domain/heard.ts';

/** What the server has not got: it is told once the line is back. Each has a name of its own, so that none counts twice. */
const untold = new Map<string, number>();

const tell = async (play: string, id: number): Promise<void> => {
  try {
    await call(countplay, { id, play });
    untold.delete(play);
  } catch (error) {
    // Kept only for where nothing was answered: a song that is gone stays gone.
    if (!(error instanceof CallError && error.status === 0)) untold.delete(play);
  }
};

reachability.subscribe(() => {
  if (reachability.isReachable()) for (const [play, id] of untold) void tell(play, id);
});

const nameOfPlay = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Follows one playing of a song, and has it counted once enough of it was heard. */
export const createCounter = (id: number) => {
  let heard = 0;
  let last: number | undefined;
  let isCounted = false;
  return {
    onTime: (at: number, duration: number): void => {
      if (last !== undefined) heard = heardAfter(heard, last, at);
      last = at;
      if (isCounted || !countsAsPlayed(heard, duration)) return;
      isCounted = true;
      const play = nameOfPlay();
      untold.set(play, id);
      void tell(play, id);
    },
    /** What was jumped over was not heard. */
    onSeek: (to: number): void => {
      last = to;
    },
  };
};

export type Counter = ReturnType<typeof createCounter>;
