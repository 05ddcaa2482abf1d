/** One slider, as on the wire. */
export interface ShownLevel {
  readonly level: number;
  readonly muted: boolean;
  readonly colour: string;
  /** The output that the master volume controls. */
  readonly device?: string | undefined;
}
export type Group = 'sessions' | 'outputs';
/** The levels of one computer, by name in each group. */
export type ComputerLevels = Readonly<Record<Group, ReadonlyMap<string, ShownLevel>>>;

export const NO_LEVELS: ComputerLevels = { sessions: new Map(), outputs: new Map() };

/** The difference between two states. */
export interface Difference {
  /** New, or with another level. */
  readonly changed: ComputerLevels;
  readonly gone: Readonly<Record<Group, readonly string[]>>;
}

const isSame = (one: ShownLevel | undefined, other: ShownLevel): boolean =>
  one?.level === other.level && one.muted === other.muted && one.colour === other.colour && one.device === other.device;

const listChanged = (known: ComputerLevels, now: ComputerLevels, group: Group) =>
  new Map([...now[group]].filter(([name, shown]) => !isSame(known[group].get(name), shown)));

const listGone = (known: ComputerLevels, now: ComputerLevels, group: Group) =>
  [...known[group].keys()].filter((name) => !now[group].has(name));

export function diffLevels(known: ComputerLevels, now: ComputerLevels): Difference {
  return {
    changed: { sessions: listChanged(known, now, 'sessions'), outputs: listChanged(known, now, 'outputs') },
    gone: { sessions: listGone(known, now, 'sessions'), outputs: listGone(known, now, 'outputs') },
  };
}

export function isEmptyDifference({ changed, gone }: Difference): boolean {
  return changed.sessions.size + changed.outputs.size + gone.sessions.length + gone.outputs.length === 0;
}

/** Limits each list to `most` entries; the rest follows in another report. */
export function limitDifference({ changed, gone }: Difference, max: number): Difference {
  return {
    changed: {
      sessions: new Map([...changed.sessions].slice(0, max)),
      outputs: new Map([...changed.outputs].slice(0, max)),
    },
    gone: { sessions: gone.sessions.slice(0, max), outputs: gone.outputs.slice(0, max) },
  };
}

const applyToGroup = (known: ComputerLevels, { changed, gone }: Difference, group: Group) => {
  const merged = new Map([...known[group], ...changed[group]]);
  for (const name of gone[group]) merged.delete(name);
  return merged;
};

/** Applies a difference. */
export function applyDifference(known: ComputerLevels, difference: Difference): ComputerLevels {
  return {
    sessions: applyToGroup(known, difference, 'sessions'),
    outputs: applyToGroup(known, difference, 'outputs'),
  };
}
