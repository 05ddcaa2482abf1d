export const STATUSES = ['online', 'idle', 'dnd', 'offline', 'unknown'] as const;
/** `unknown`: nobody looked. */
export type Status = (typeof STATUSES)[number];

/** What of a person is looked at: what others see of them, or one kind of device alone. */
export const VIEWS = ['both', 'pc', 'mobile'] as const;
export type View = (typeof VIEWS)[number];

/** How a person stands at one moment. */
export type Presence = Readonly<Record<View, Status>>;

export const everywhere = (status: Status): Presence => ({ both: status, pc: status, mobile: status });
export const UNKNOWN: Presence = everywhere('unknown');
export const OFFLINE: Presence = everywhere('offline');

export const isSamePresence = (one: Presence, other: Presence): boolean =>
  VIEWS.every((view) => one[view] === other[view]);

/** The colours of the bars, by status. */
export const COLOURS: Readonly<Record<Status, string>> = {
  online: '#2E9E5B',
  idle: '#D99A1C',
  dnd: '#C2413B',
  offline: '#85858F',
  unknown: 'transparent',
};
