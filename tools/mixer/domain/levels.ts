/** The level of one slider, as on the wire. */
export interface SliderLevel {
  readonly level: number;
  readonly muted: boolean;
  readonly colour: string;
  /** The output that the master volume controls. */
  readonly device?: string | undefined;
}
export type LevelGroup = 'sessions' | 'outputs';
/** The levels of one computer, by name in each group. */
export type ComputerLevels = Readonly<Record<LevelGroup, ReadonlyMap<string, SliderLevel>>>;

export const NO_LEVELS: ComputerLevels = { sessions: new Map(), outputs: new Map() };

export interface LevelDifference {
  /** New levels, and those that have changed. */
  readonly changed: ComputerLevels;
  readonly gone: Readonly<Record<LevelGroup, readonly string[]>>;
}

const isSame = (one: SliderLevel | undefined, other: SliderLevel): boolean =>
  one?.level === other.level && one.muted === other.muted && one.colour === other.colour && one.device === other.device;

const listChanged = (previous: ComputerLevels, current: ComputerLevels, group: LevelGroup) =>
  new Map([...current[group]].filter(([name, level]) => !isSame(previous[group].get(name), level)));

const listGone = (previous: ComputerLevels, current: ComputerLevels, group: LevelGroup) =>
  [...previous[group].keys()].filter((name) => !current[group].has(name));

export function diffLevels(previous: ComputerLevels, current: ComputerLevels): LevelDifference {
  return {
    changed: {
      sessions: listChanged(previous, current, 'sessions'),
      outputs: listChanged(previous, current, 'outputs'),
    },
    gone: { sessions: listGone(previous, current, 'sessions'), outputs: listGone(previous, current, 'outputs') },
  };
}

export function isEmptyDifference({ changed, gone }: LevelDifference): boolean {
  return changed.sessions.size + changed.outputs.size + gone.sessions.length + gone.outputs.length === 0;
}

/** Limits each list to `max` entries; the rest follows in another report. */
export function limitDifference({ changed, gone }: LevelDifference, max: number): LevelDifference {
  return {
    changed: {
      sessions: new Map([...changed.sessions].slice(0, max)),
      outputs: new Map([...changed.outputs].slice(0, max)),
    },
    gone: { sessions: gone.sessions.slice(0, max), outputs: gone.outputs.slice(0, max) },
  };
}

function applyToGroup(previous: ComputerLevels, { changed, gone }: LevelDifference, group: LevelGroup) {
  const merged = new Map([...previous[group], ...changed[group]]);
  for (const name of gone[group]) merged.delete(name);
  return merged;
}

export function applyDifference(previous: ComputerLevels, difference: LevelDifference): ComputerLevels {
  return {
    sessions: applyToGroup(previous, difference, 'sessions'),
    outputs: applyToGroup(previous, difference, 'outputs'),
  };
}
