import { NAME_LIMIT, type Status } from '../../contract/limits.ts';

/** Who made a sound: its process and those above it, the nearest first. */
export interface SoundSource {
  readonly session: string;
  readonly lineage: readonly number[];
  readonly program: string;
}
interface Window {
  readonly application: string;
  readonly pid: number | undefined;
}

/**
 * The application that a sound belongs to: the one whose window the process has, or one above it (browsers play from a child of theirs);
 * without a window the program's name, else what the sound is called.
 */
export function soundOwner({ session, lineage, program }: SoundSource, windows: readonly Window[]): string {
  for (const pid of lineage) {
    const window = windows.find((one) => one.pid === pid);
    if (window) return window.application;
  }
  return program || session;
}

// What is seen on a computer becomes pieces of time. All times are milliseconds of one clock that was never turned; where it goes back all
// the same, that time does not count twice.

/** So long between two looks, and the computer slept: what was there ended with the look before. */
export const MAX_SIGHTING_GAP_MS = 30_000;
/** Longer pieces are handed in one after the other. */
const MAX_INTERVAL_MS = 6 * 3_600_000;

/** What a person at the computer would see and hear now. */
export interface Sighting {
  /** The application in use. */
  readonly focused: string | undefined;
  /** What its window is called, where that is wanted. */
  readonly title?: string | undefined;
  readonly open: readonly string[];
  readonly playing: readonly string[];
  readonly recording: readonly string[];
  /** When keyboard or mouse were last used. */
  readonly lastInput: number;
}

/** A piece of time in which an application was in a status. Pieces of one stretch touch each other. */
export interface MeasuredInterval {
  readonly app: string;
  readonly status: Status;
  readonly from: number;
  readonly until: number;
  readonly title?: string | undefined;
}

/** What goes on, as of the last look. */
export interface MeasuringState {
  readonly at: number;
  readonly lastInput: number;
  /** Nobody has been there since `lastInput`. */
  readonly isAway: boolean;
  /** In use at the last look. */
  readonly focused: Pick<MeasuredInterval, 'app' | 'title'> | undefined;
  /** In focus, in order; the last one still is, if there is somebody. What lies behind `lastInput` counts only if the person turns out to be there. */
  readonly focus: readonly MeasuredInterval[];
  /** Open in the background, playing and recording, by application and status. */
  readonly others: ReadonlyMap<string, MeasuredInterval>;
}

/** What goes on, and what has ended. */
export interface MeasuringResult {
  readonly measuring: MeasuringState;
  readonly ended: readonly MeasuredInterval[];
}

/** A name that the contract takes, without control characters; '' where nothing is left. */
export function nameOf(raw: string): string {
  const clean = raw.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ').trim();
  return clean.length <= NAME_LIMIT ? clean : Array.from(clean).slice(0, NAME_LIMIT).join('').trim();
}

export function hasLength({ from, until }: MeasuredInterval): boolean {
  return until > from;
}

/** What goes on up to the last look, also what has only just begun. What is in focus counts as such: nobody is known to have left. */
export function goingOn({ focus, others }: MeasuringState): readonly MeasuredInterval[] {
  return [...focus, ...others.values()];
}

const allOf = (now: MeasuringState): readonly MeasuredInterval[] => goingOn(now).filter(hasLength);

const keyOf = (app: string, status: Status): string => `${status} ${app}`;

/** What goes on beside the focus, each from `at` on. */
const othersIn = (sight: Sighting, isAway: boolean, at: number): ReadonlyMap<string, MeasuredInterval> => {
  const piece = (status: Status) => (app: string) =>
    [keyOf(app, status), { app, status, from: at, until: at }] as const;
  const isBehind = (app: string): boolean => isAway || app !== sight.focused;
  const open = sight.focused === undefined ? sight.open : [...sight.open, sight.focused];
  return new Map([
    ...open.filter(isBehind).map(piece('off')),
    ...sight.playing.map(piece('s')),
    ...sight.recording.map(piece('r')),
  ]);
};

const focusedIn = ({ focused, title }: Sighting): MeasuringState['focused'] =>
  focused === undefined ? undefined : { app: focused, title };

const begin = (at: number, now: number, sight: Sighting, awayAfter: number): MeasuringState => {
  const lastInput = at - Math.max(0, now - sight.lastInput);
  const isAway = at - lastInput >= awayAfter;
  const focused = focusedIn(sight);
  return {
    at,
    lastInput,
    isAway,
    focused,
    focus: focused && !isAway ? [{ ...focused, status: 'on', from: at, until: at }] : [],
    others: othersIn(sight, isAway, at),
  };
};

const lengthened = (piece: MeasuredInterval, until: number): MeasuredInterval => ({ ...piece, until });

/** The same at a later moment, nothing having changed. */
const goOn = (before: MeasuringState, at: number): MeasuringState => ({
  ...before,
  at,
  focus: before.focus.map((piece, place) =>
    before.focused && place === before.focus.length - 1 ? lengthened(piece, at) : piece,
  ),
  others: new Map([...before.others].map(([key, piece]) => [key, lengthened(piece, at)])),
});

/** Nobody has been there since `left`: from then on what was in focus was only open. */
const leave = (now: MeasuringState, left: number): MeasuringResult => {
  const ended = now.focus.map((piece) => lengthened(piece, Math.min(piece.until, left)));
  const behind = now.focus.map(({ app, from, until }): MeasuredInterval => ({
    app,
    status: 'off',
    from: Math.max(from, left),
    until,
  }));
  // The one that is in use goes on as open.
  const current = now.focused === undefined ? undefined : behind.at(-1);
  const others = new Map(now.others);
  if (current) others.set(keyOf(current.app, 'off'), current);
  return {
    measuring: { ...now, lastInput: left, isAway: true, focus: [], others },
    ended: [...ended, ...(current ? behind.slice(0, -1) : behind)],
  };
};

/** Somebody is back since `back`. */
const comeBack = (now: MeasuringState, input: number, back: number): MeasuringResult => {
  const { focused } = now;
  const others = new Map(now.others);
  const ended: MeasuredInterval[] = [];
  const focus: MeasuredInterval[] = [];
  if (focused) {
    const key = keyOf(focused.app, 'off');
    const piece = others.get(key);
    others.delete(key);
    if (piece) ended.push(lengthened(piece, back));
    focus.push({ ...focused, status: 'on', from: back, until: now.at });
  }
  return { measuring: { ...now, lastInput: input, isAway: false, focus, others }, ended };
};

/** Takes in when the last input was. The first one of somebody who is back lies somewhere between the last look and that. */
const withInput = (now: MeasuringState, input: number, before: number, awayAfter: number): MeasuringResult => {
  const isGone = now.at - input >= awayAfter;
  if (now.isAway)
    return isGone
      ? { measuring: { ...now, lastInput: input }, ended: [] }
      : comeBack(now, input, Math.max(before, Math.ceil((before + input) / 2)));
  if (isGone) return leave(now, input);
  const isSure = ({ until }: MeasuredInterval, place: number): boolean =>
    until <= input && (now.focused === undefined || place < now.focus.length - 1);
  return {
    measuring: { ...now, lastInput: input, focus: now.focus.filter((piece, place) => !isSure(piece, place)) },
    ended: now.focus.filter(isSure),
  };
};

/** Takes in what is to be seen from now on. */
const withSight = (now: MeasuringState, sight: Sighting): MeasuringResult => {
  const { at, isAway } = now;
  const wanted = othersIn(sight, isAway, at);
  const ended = [...now.others].filter(([key]) => !wanted.has(key)).map(([, piece]) => piece);
  const others = new Map([...wanted].map(([key, piece]) => [key, now.others.get(key) ?? piece]));
  const focused = focusedIn(sight);
  const isSame = focused?.app === now.focused?.app && focused?.title === now.focused?.title;
  const focus: readonly MeasuredInterval[] =
    isSame || isAway || !focused ? now.focus : [...now.focus, { ...focused, status: 'on', from: at, until: at }];
  return { measuring: { ...now, focused, focus, others }, ended };
};

/**
 * A look at the computer: what was there at the last one was there until now. Where the computer slept meanwhile, or its clock was turned
 * back, it was there until the last look.
 */
export function look(
  before: MeasuringState | undefined,
  now: number,
  sight: Sighting,
  awayAfter: number,
): MeasuringResult {
  if (!before) return { measuring: begin(now, now, sight, awayAfter), ended: [] };
  if (now < before.at || now - before.at > MAX_SIGHTING_GAP_MS)
    return { measuring: begin(Math.max(now, before.at), now, sight, awayAfter), ended: allOf(before) };
  const input = Math.min(now, Math.max(sight.lastInput, before.lastInput));
  const known = withInput(goOn(before, now), input, before.at, awayAfter);
  const { measuring, ended } = withSight(known.measuring, sight);
  return { measuring, ended: [...known.ended, ...ended].filter(hasLength) };
}

/** Ends everything: nothing is seen any more. */
export function end(before: MeasuringState, now: number): readonly MeasuredInterval[] {
  return now < before.at || now - before.at > MAX_SIGHTING_GAP_MS ? allOf(before) : allOf(goOn(before, now));
}

/**
 * What is certain of that which goes on, to be handed in; it goes on behind that. Focus is certain up to the last input alone. Without
 * `others` those are left to grow.
 */
export function certain(now: MeasuringState, { others }: { readonly others: boolean }): MeasuringResult {
  const sure = ({ from, until }: MeasuredInterval): number => Math.min(until, Math.max(from, now.lastInput));
  const background = others ? [...now.others.values()] : [];
  return {
    measuring: {
      ...now,
      focus: now.focus.map((piece) => ({ ...piece, from: sure(piece) })),
      others: others
        ? new Map([...now.others].map(([key, piece]) => [key, { ...piece, from: piece.until }]))
        : now.others,
    },
    ended: [...now.focus.map((piece) => lengthened(piece, sure(piece))), ...background].filter(hasLength),
  };
}

/** Pieces that are not too long to be taken; together they are the same. None of one without a length. */
export function inParts(piece: MeasuredInterval): readonly MeasuredInterval[] {
  return Array.from({ length: Math.ceil((piece.until - piece.from) / MAX_INTERVAL_MS) }, (_, place) => ({
    ...piece,
    from: piece.from + place * MAX_INTERVAL_MS,
    until: Math.min(piece.until, piece.from + (place + 1) * MAX_INTERVAL_MS),
  }));
}
