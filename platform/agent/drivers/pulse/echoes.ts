import type { VolumeLevel } from './levelMemory.ts';

/** So long what we set comes back to us, once the sound server has answered it. */
export const ECHO_WINDOW_MS = 300;

interface OwnChange {
  /** What stood there before, and what we set since, but for the newest. */
  readonly older: readonly VolumeLevel[];
  readonly newest: VolumeLevel;
  /** How many of ours the sound server has not answered yet. */
  readonly pending: number;
  readonly until: number;
}

export function isSameLevel(one: VolumeLevel, other: VolumeLevel): boolean {
  return one.level === other.level && one.muted === other.muted;
}

/** Tells what we set ourselves a moment ago, and hear again late and in turn, from what somebody else set. */
export interface EchoFilter {
  /** We set `to` where `before` stood. */
  readonly recordChange: (key: string, before: VolumeLevel, to: VolumeLevel) => void;
  /** The sound server has taken one of ours. */
  readonly onAcknowledged: (key: string) => void;
  /** What counts: what is heard, or the newest of our own where what is heard is an echo of an older one. */
  readonly resolve: (key: string, heard: VolumeLevel) => VolumeLevel;
  readonly remove: (key: string) => void;
  readonly clear: () => void;
}

/** @param now milliseconds of a clock that only goes forward */
export function createEchoFilter(now: () => number): EchoFilter {
  const own = new Map<string, OwnChange>();
  const alive = (key: string): OwnChange | undefined => {
    const found = own.get(key);
    if (found && found.until <= now()) own.delete(key);
    return own.get(key);
  };
  return {
    recordChange: (key, before, to) => {
      const found = alive(key);
      const older = found ? [...found.older, found.newest] : [before];
      own.set(key, { older: older.slice(-64), newest: to, pending: (found?.pending ?? 0) + 1, until: Infinity });
    },
    onAcknowledged: (key) => {
      const found = own.get(key);
      if (!found) return;
      const pending = found.pending - 1;
      own.set(key, { ...found, pending, until: pending > 0 ? Infinity : now() + ECHO_WINDOW_MS });
    },
    resolve: (key, heard) => {
      const found = alive(key);
      if (!found || isSameLevel(heard, found.newest)) return heard;
      if (found.older.some((one) => isSameLevel(one, heard))) return found.newest;
      own.delete(key);
      return heard;
    },
    remove: (key) => void own.delete(key),
    clear: () => own.clear(),
  };
}
