/** One slider as the wire has it. */
export interface ShownLevel {
  readonly level: number;
  readonly muted: boolean;
  readonly colour: string;
  /** The output that the master volume controls. */
  readonly device?: string | undefined;
}
export type Group = 'sessions' | 'outputs';
/** What there is to hear on one computer, each group by name. */
export type ComputerLevels = Readonly<Record<Group, ReadonlyMap<string, ShownLevel>>>;

export const NO_LEVELS: ComputerLevels = { sessions: new Map(), outputs: new Map() };

/** What one has to be told who knows an older sound. */
export interface Difference {
  /** New or of another level. */
  readonly changed: ComputerLevels;
  readonly gone: Readonly<Record<Group, readonly string[]>>;
}

const isSame = (one: ShownLevel | undefined, other: ShownLevel): boolean =>
  one?.level === other.level && one.muted === other.muted && one.colour === other.colour && one.device === other.device;

const changedIn = (known: ComputerLevels, now: ComputerLevels, group: Group) =>
  new Map([...now[group]].filter(([name, shown]) => !isSame(known[group].get(name), shown)));

const goneIn = (known: ComputerLevels, now: ComputerLevels, group: Group) =>
  [...known[group].keys()].filter((name) => !now[group].has(name));

export function differenceOf(known: ComputerLevels, now: ComputerLevels): Difference {
  return {
    changed: { sessions: changedIn(known, now, 'sessions'), outputs: changedIn(known, now, 'outputs') },
    gone: { sessions: goneIn(known, now, 'sessions'), outputs: goneIn(known, now, 'outputs') },
  };
}

export function isNothing({ changed, gone }: Difference): boolean {
  return changed.sessions.size + changed.outputs.size + gone.sessions.length + gone.outputs.length === 0;
}

/** At most `most` of each list; the rest is told another time. */
export function firstOf({ changed, gone }: Difference, most: number): Difference {
  return {
    changed: {
      sessions: new Map([...changed.sessions].slice(0, most)),
      outputs: new Map([...changed.outputs].slice(0, most)),
    },
    gone: { sessions: gone.sessions.slice(0, most), outputs: gone.outputs.slice(0, most) },
  };
}

const afterIn = (known: ComputerLevels, { changed, gone }: Difference, group: Group) => {
  const merged = new Map([...known[group], ...changed[group]]);
  for (const name of gone[group]) merged.delete(name);
  return merged;
};

/** What one knows who knew `known` and was told the difference. */
export function after(known: ComputerLevels, difference: Difference): ComputerLevels {
  return {
    sessions: afterIn(known, difference, 'sessions'),
    outputs: afterIn(known, difference, 'outputs'),
  };
}
