import { CallError } from '#platform/contract/client.ts';
import { call } from '#platform/web/app/call.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { countplay } from '../../contract.ts';

/** Longer steps are jumps. Timers of a background page run about once a second. */
const STEP_SECONDS = 5;
const MAX_HEARD_SECONDS = 240;

/** Returns the seconds that were actually heard after the position changed. */
export function addPlayedSeconds(heardSeconds: number, from: number, to: number): number {
  return to > from && to - from < STEP_SECONDS ? heardSeconds + to - from : heardSeconds;
}

/** Returns whether the song counts as played: after half of it or four minutes. */
export function countsAsPlayed(heardSeconds: number, duration: number): boolean {
  return duration > 0 && heardSeconds >= Math.min(duration / 2, MAX_HEARD_SECONDS);
}

/** A connection without data for this long, for example after the phone slept, is reopened. */
const STALL_TIMEOUT_MS = 20_000;
/** The same while the server is known to be unreachable, because a browser can retry silently for minutes. */
const UNREACHABLE_STALL_TIMEOUT_MS = 2000;

/** Calls `onStall` if the awaited data doesn't arrive in time. */
export function watchStalls(onStall: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWaiting = false;
  function restart(): void {
    clearTimeout(timer);
    timer = isWaiting
      ? setTimeout(onStall, reachability.isReachable() ? STALL_TIMEOUT_MS : UNREACHABLE_STALL_TIMEOUT_MS)
      : undefined;
  }
  reachability.subscribe(restart);
  return {
    /** Restarts the timeout. */
    restart,
    setWaiting: (next: boolean): void => {
      if (next === isWaiting) return;
      isWaiting = next;
      restart();
    },
  };
}

/** Notifies other tabs, so that only one tab plays. */
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('pegboard.player') : undefined;

export const otherTabs = {
  /** Notifies the other tabs that this one plays. */
  announcePlayback: (): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target but its own origin
    channel?.postMessage('playing');
  },
  onPlayback: (listener: () => void): void => channel?.addEventListener('message', listener),
};

/** Problems as the player's bar shows them. */
export const PROBLEM_MESSAGES = {
  offline: 'The server cannot be reached. Playback continues when the connection is back',
  slow: 'The connection is slow',
  press: 'The browser blocked playback. Press Play to start',
  logIn: 'Log in to continue playing',
} as const;

/** Plays that the server has not confirmed, to send after a reconnect. The idempotency key prevents duplicates. */
const unsentPlays = new Map<string, number>();

async function sendPlay(play: string, id: number): Promise<void> {
  try {
    await call(countplay, { id, play });
    unsentPlays.delete(play);
  } catch (error) {
    // Only stays if there was no answer: a deleted song stays deleted.
    if (!(error instanceof CallError && error.status === 0)) unsentPlays.delete(play);
  }
}

reachability.subscribe(() => {
  if (reachability.isReachable()) for (const [play, id] of unsentPlays) void sendPlay(play, id);
});

const createIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Counts the heard seconds of a song, and reports a play once there are enough. */
export function createPlayCounter(id: number) {
  let heardSeconds = 0;
  let lastPosition: number | undefined;
  let isCounted = false;
  return {
    onTime: (at: number, duration: number): void => {
      if (lastPosition !== undefined) heardSeconds = addPlayedSeconds(heardSeconds, lastPosition, at);
      lastPosition = at;
      if (isCounted || !countsAsPlayed(heardSeconds, duration)) return;
      isCounted = true;
      const play = createIdempotencyKey();
      unsentPlays.set(play, id);
      void sendPlay(play, id);
    },
    /** Skipped time doesn't count. */
    onSeek: (to: number): void => {
      lastPosition = to;
    },
  };
}

export type PlayCounter = ReturnType<typeof createPlayCounter>;
