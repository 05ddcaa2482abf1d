/** The presence of a person from `at` on, in whole seconds since the epoch. */
export interface Change {
  readonly at: number;
  readonly presence: Presence;
}

/** A status from `from` until just before `until`, in seconds since the epoch. */
export interface StatusInterval {
  readonly from: number;
  readonly until: number;
  readonly status: Status;
}

/** Merges adjacent intervals of the same status and removes empty ones. Intervals must be sorted. */
export function mergeIntervals(intervals: readonly StatusInterval[]): readonly StatusInterval[] {
  const all: StatusInterval[] = [];
  for (const interval of intervals) {
    const last = all.at(-1);
    if (interval.until <= interval.from) continue;
    if (last?.status === interval.status && last.until === interval.from)
      all[all.length - 1] = { ...last, until: interval.until };
    else all.push(interval);
  }
  return all;
}

/** Returns the history of one view until a moment, without gaps. `changes` must be sorted. */
export function toStatusIntervals(changes: readonly Change[], view: View, until: number): readonly StatusInterval[] {
  return mergeIntervals(
    changes.map(({ at, presence }, index) => ({
      from: at,
      until: Math.min(until, changes[index + 1]?.at ?? until),
      status: presence[view],
    })),
  );
}

export const STATUSES = ['online', 'idle', 'dnd', 'offline', 'unknown'] as const;
/** `unknown`: nothing was recorded. */
export type Status = (typeof STATUSES)[number];

/** Part of a presence: what others see, or the status on one kind of device. */
export const VIEWS = ['both', 'pc', 'mobile'] as const;
export type View = (typeof VIEWS)[number];

/** Status of a person at one moment, by view. */
export type Presence = Readonly<Record<View, Status>>;

export function createPresence(status: Status): Presence {
  return { both: status, pc: status, mobile: status };
}
export const UNKNOWN: Presence = createPresence('unknown');
export const OFFLINE: Presence = createPresence('offline');

export function isSamePresence(one: Presence, other: Presence): boolean {
  return VIEWS.every((view) => one[view] === other[view]);
}

/** Colours of the bars, by status. */
export const COLOURS: Readonly<Record<Status, string>> = {
  online: '#2E9E5B',
  idle: '#D99A1C',
  dnd: '#C2413B',
  offline: '#85858F',
  unknown: 'transparent',
};

/** Formats seconds to the minute: '7 h 20 min', '45 min', '8 h'. */
export function formatDuration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** Summarizes a day for screen readers: 'online 5 h 10 min, offline 18 h 50 min'. */
export function formatSummary(intervals: readonly StatusInterval[]): string {
  return STATUSES.map((status) => {
    const seconds = intervals
      .filter((interval) => interval.status === status)
      .reduce((sum, { from, until }) => sum + until - from, 0);
    return seconds < 60 ? '' : `${status} ${formatDuration(seconds)}`;
  })
    .filter(Boolean)
    .join(', ');
}
