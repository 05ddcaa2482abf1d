import type { VolumeLevel } from './levelStore.ts';

/** How long our own changes may be reported back after the sound server has acknowledged them. */
export const ECHO_WINDOW_MS = 300;

interface SentChange {
  /** The level before our first change, and those that we have set since, except the newest. */
  readonly older: readonly VolumeLevel[];
  readonly newest: VolumeLevel;
  /** Number of our changes that the sound server has not acknowledged yet. */
  readonly pendingCount: number;
  readonly expiresAt: number;
}

export function isSameLevel(one: VolumeLevel, other: VolumeLevel): boolean {
  return one.level === other.level && one.muted === other.muted;
}

/** Distinguishes echoes of our own recent changes, which arrive late and in order, from changes by others. */
export interface EchoFilter {
  /** Records that we changed the level from `before` to `to`. */
  readonly recordChange: (key: string, before: VolumeLevel, after: VolumeLevel) => void;
  /** Call this when the sound server has acknowledged one of our changes. */
  readonly onAcknowledged: (key: string) => void;
  /** Returns the level that counts: the reported one, or our newest if the reported one is an echo of an older one. */
  readonly resolve: (key: string, reported: VolumeLevel) => VolumeLevel;
  readonly remove: (key: string) => void;
  readonly clear: () => void;
}

/**
 * Creates the filter.
 * @param now returns milliseconds of a monotonic clock.
 */
export function createEchoFilter(now: () => number): EchoFilter {
  const changes = new Map<string, SentChange>();
  function getRecent(key: string): SentChange | undefined {
    const change = changes.get(key);
    if (change && change.expiresAt <= now()) changes.delete(key);
    return changes.get(key);
  }
  return {
    recordChange: (key, before, after) => {
      const change = getRecent(key);
      const older = (change ? [...change.older, change.newest] : [before]).slice(-64);
      changes.set(key, { older, newest: after, pendingCount: (change?.pendingCount ?? 0) + 1, expiresAt: Infinity });
    },
    onAcknowledged: (key) => {
      const change = changes.get(key);
      if (!change) return;
      const pendingCount = change.pendingCount - 1;
      changes.set(key, { ...change, pendingCount, expiresAt: pendingCount > 0 ? Infinity : now() + ECHO_WINDOW_MS });
    },
    resolve: (key, reported) => {
      const change = getRecent(key);
      if (!change || isSameLevel(reported, change.newest)) return reported;
      if (change.older.some((level) => isSameLevel(level, reported))) return change.newest;
      changes.delete(key);
      return reported;
    },
    remove: (key) => void changes.delete(key),
    clear: () => changes.clear(),
  };
}
