import { CallError } from '#platform/contract/client.ts';
import { call } from '#platform/web/app/call.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { countplay } from '../../contract.ts';
import { countsAsPlayed, heardAfter } from '../domain/heard.ts';

/** A line that brings nothing for so long, such as one that a phone slept over, is opened anew. */
const STALLS_MS = 20_000;
/** The same where the server is known to be away: a browser may try in silence for minutes. */
const AWAY_MS = 2000;

/** Tells when what is waited for has not come for too long. */
export function watchStalls(onStall: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWaiting = false;
  const anew = (): void => {
    clearTimeout(timer);
    timer = isWaiting ? setTimeout(onStall, reachability.isReachable() ? STALLS_MS : AWAY_MS) : undefined;
  };
  reachability.subscribe(anew);
  return {
    /** Something else is waited for from now on. */
    anew,
    follow: (next: boolean): void => {
      if (next === isWaiting) return;
      isWaiting = next;
      anew();
    },
  };
}

/** Of all tabs one plays at a time. */
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('pegboard.player') : undefined;

export const oneTab = {
  /** Tells the others that this one plays from now on. */
  begin: (): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target but its own origin
    channel?.postMessage('playing');
  },
  onOther: (tell: () => void): void => channel?.addEventListener('message', tell),
};

/** What hinders playing, as the player's bar says it. */
export const troubles = {
  offline: 'The server cannot be reached. It plays on when the line is back.',
  slow: 'The line is slow.',
  press: 'The browser lets nothing sound by itself. Press Play.',
  logIn: 'Log in to go on playing.',
} as const;

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
export function createCounter(id: number) {
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
}

export type Counter = ReturnType<typeof createCounter>;
