import { HOUR_MS } from '#platform/contract/duration.ts';
import { NAME_LIMIT, type Status } from '../../contract/limits.ts';
import type { ReportedInterval } from './interval.ts';

/** Source of a sound: its process and its ancestors, nearest first. */
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
 * Returns the application of a sound: the one with a window of this process or an ancestor (browsers play in child
 * processes), or the program, or the name of the sound.
 */
export function soundOwner({ session, lineage, program }: SoundSource, windows: readonly Window[]): string {
  for (const pid of lineage) {
    const window = windows.find((one) => one.pid === pid);
    if (window) return window.application;
  }
  return program || session;
}

// Turns samples of a computer into intervals. Times are milliseconds of one monotonic clock; if it goes back
// nevertheless, no time counts twice.

/** After a longer gap between samples, the computer was asleep, and everything ended at the sample before. */
export const MAX_SIGHTING_GAP_MS = 30_000;
/** Longer intervals are sent in parts. */
const MAX_INTERVAL_MS = 6 * HOUR_MS;

/** A sample of what a person at the computer sees and hears. */
export interface Sighting {
  /** The application in use. */
  readonly focused: string | undefined;
  /** Its window title, if titles are recorded. */
  readonly title?: string | undefined;
  readonly open: readonly string[];
  readonly playing: readonly string[];
  readonly recording: readonly string[];
  /** Time of the last keyboard or mouse input. */
  readonly lastInput: number;
}

/** Open intervals, as of the last sample. */
export interface MeasuringState {
  readonly at: number;
  readonly lastInput: number;
  /** The user was away since `lastInput`. */
  readonly isAway: boolean;
  /** In use at the last sample. */
  readonly focused: Pick<ReportedInterval, 'app' | 'title'> | undefined;
  /**
   * Focused intervals in order; the last is open if somebody is present. Time after `lastInput` counts only if the
   * person turns out to be present.
   */
  readonly focus: readonly ReportedInterval[];
  /** Background, sound and recording intervals, by application and status. */
  readonly others: ReadonlyMap<string, ReportedInterval>;
}

/** Open and ended intervals. */
export interface MeasuringResult {
  readonly measuring: MeasuringState;
  readonly ended: readonly ReportedInterval[];
}

/** Returns a valid name without control characters; '' if nothing is left. */
export function cleanName(raw: string): string {
  const clean = raw.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ').trim();
  return clean.length <= NAME_LIMIT ? clean : Array.from(clean).slice(0, NAME_LIMIT).join('').trim();
}

export function hasLength({ from, until }: ReportedInterval): boolean {
  return until > from;
}

/** Returns intervals that are open at the last sample, also new ones. Focus counts as such while absence is unknown. */
export function listOpenIntervals({ focus, others }: MeasuringState): readonly ReportedInterval[] {
  return [...focus, ...others.values()];
}

const listNonEmpty = (now: MeasuringState): readonly ReportedInterval[] => listOpenIntervals(now).filter(hasLength);

const getKey = (app: string, status: Status): string => `${status} ${app}`;

/** Returns background, sound and recording intervals, starting at `at`. */
const listBackground = (sighting: Sighting, isAway: boolean, at: number): ReadonlyMap<string, ReportedInterval> => {
  const part = (status: Status) => (app: string) =>
    [getKey(app, status), { app, status, from: at, until: at }] as const;
  const isBehind = (app: string): boolean => isAway || app !== sighting.focused;
  const open = sighting.focused === undefined ? sighting.open : [...sighting.open, sighting.focused];
  return new Map([
    ...open.filter(isBehind).map(part('off')),
    ...sighting.playing.map(part('s')),
    ...sighting.recording.map(part('r')),
  ]);
};

const toFocused = ({ focused, title }: Sighting): MeasuringState['focused'] =>
  focused === undefined ? undefined : { app: focused, title };

const startMeasuring = (at: number, now: number, sighting: Sighting, awayAfter: number): MeasuringState => {
  const lastInput = at - Math.max(0, now - sighting.lastInput);
  const isAway = at - lastInput >= awayAfter;
  const focused = toFocused(sighting);
  return {
    at,
    lastInput,
    isAway,
    focused,
    focus: focused && !isAway ? [{ ...focused, status: 'on', from: at, until: at }] : [],
    others: listBackground(sighting, isAway, at),
  };
};

const extendInterval = (interval: ReportedInterval, until: number): ReportedInterval => ({ ...interval, until });

/** Extends everything to a later time without changes. */
const extend = (before: MeasuringState, at: number): MeasuringState => ({
  ...before,
  at,
  focus: before.focus.map((part, index) =>
    before.focused && index === before.focus.length - 1 ? extendInterval(part, at) : part,
  ),
  others: new Map([...before.others].map(([key, part]) => [key, extendInterval(part, at)])),
});

/** Handles absence since `since`: from then on the focused application was only open. */
const handleAbsence = (now: MeasuringState, since: number): MeasuringResult => {
  const ended = now.focus.map((part) => extendInterval(part, Math.min(part.until, since)));
  const afterLastInput = now.focus.map(({ app, from, until }): ReportedInterval => ({
    app,
    status: 'off',
    from: Math.max(from, since),
    until,
  }));
  // The application in use stays open in the background.
  const current = now.focused === undefined ? undefined : afterLastInput.at(-1);
  const others = new Map(now.others);
  if (current) others.set(getKey(current.app, 'off'), current);
  return {
    measuring: { ...now, lastInput: since, isAway: true, focus: [], others },
    ended: [...ended, ...(current ? afterLastInput.slice(0, -1) : afterLastInput)],
  };
};

/** Handles a return at `back`. */
const handleReturn = (now: MeasuringState, input: number, back: number): MeasuringResult => {
  const { focused } = now;
  const others = new Map(now.others);
  const ended: ReportedInterval[] = [];
  const focus: ReportedInterval[] = [];
  if (focused) {
    const key = getKey(focused.app, 'off');
    const part = others.get(key);
    others.delete(key);
    if (part) ended.push(extendInterval(part, back));
    focus.push({ ...focused, status: 'on', from: back, until: now.at });
  }
  return { measuring: { ...now, lastInput: input, isAway: false, focus, others }, ended };
};

/** Updates the last input. After an absence, the first input is between the last sample and this value. */
const applyInput = (now: MeasuringState, input: number, before: number, awayAfter: number): MeasuringResult => {
  const isGone = now.at - input >= awayAfter;
  if (now.isAway)
    return isGone
      ? { measuring: { ...now, lastInput: input }, ended: [] }
      : handleReturn(now, input, Math.max(before, Math.ceil((before + input) / 2)));
  if (isGone) return handleAbsence(now, input);
  const isSure = ({ until }: ReportedInterval, index: number): boolean =>
    until <= input && (now.focused === undefined || index < now.focus.length - 1);
  return {
    measuring: { ...now, lastInput: input, focus: now.focus.filter((part, index) => !isSure(part, index)) },
    ended: now.focus.filter(isSure),
  };
};

/** Updates what is visible from now on. */
const applySighting = (now: MeasuringState, sighting: Sighting): MeasuringResult => {
  const { at, isAway } = now;
  const background = listBackground(sighting, isAway, at);
  const ended = [...now.others].filter(([key]) => !background.has(key)).map(([, part]) => part);
  const others = new Map([...background].map(([key, part]) => [key, now.others.get(key) ?? part]));
  const focused = toFocused(sighting);
  const isSame = focused?.app === now.focused?.app && focused?.title === now.focused?.title;
  const focus: readonly ReportedInterval[] =
    isSame || isAway || !focused ? now.focus : [...now.focus, { ...focused, status: 'on', from: at, until: at }];
  return { measuring: { ...now, focused, focus, others }, ended };
};

/**
 * Processes a sample: the previous state lasted until now. If the computer slept, or the clock went back, it lasted
 * until the last sample only.
 */
export function look(
  before: MeasuringState | undefined,
  now: number,
  sighting: Sighting,
  awayAfter: number,
): MeasuringResult {
  if (!before) return { measuring: startMeasuring(now, now, sighting, awayAfter), ended: [] };
  if (now < before.at || now - before.at > MAX_SIGHTING_GAP_MS)
    return {
      measuring: startMeasuring(Math.max(now, before.at), now, sighting, awayAfter),
      ended: listNonEmpty(before),
    };
  const input = Math.min(now, Math.max(sighting.lastInput, before.lastInput));
  const updated = applyInput(extend(before, now), input, before.at, awayAfter);
  const { measuring, ended } = applySighting(updated.measuring, sighting);
  return { measuring, ended: [...updated.ended, ...ended].filter(hasLength) };
}

/** Ends all intervals. */
export function end(before: MeasuringState, now: number): readonly ReportedInterval[] {
  const hasSlept = now < before.at || now - before.at > MAX_SIGHTING_GAP_MS;
  return listNonEmpty(hasSlept ? before : extend(before, now));
}

/**
 * Splits off what is certain, so that it can be sent. Focus is certain up to the last input only. Without `others`,
 * background intervals stay open.
 */
export function splitCertain(now: MeasuringState, { others }: { readonly others: boolean }): MeasuringResult {
  const getCertainEnd = ({ from, until }: ReportedInterval): number => Math.min(until, Math.max(from, now.lastInput));
  const background = others ? [...now.others.values()] : [];
  return {
    measuring: {
      ...now,
      focus: now.focus.map((part) => ({ ...part, from: getCertainEnd(part) })),
      others: others ? new Map([...now.others].map(([key, part]) => [key, { ...part, from: part.until }])) : now.others,
    },
    ended: [...now.focus.map((part) => extendInterval(part, getCertainEnd(part))), ...background].filter(hasLength),
  };
}

/** Splits an interval into parts of valid length. Drops an empty one. */
export function splitInterval(interval: ReportedInterval): readonly ReportedInterval[] {
  return Array.from({ length: Math.ceil((interval.until - interval.from) / MAX_INTERVAL_MS) }, (_, index) => ({
    ...interval,
    from: interval.from + index * MAX_INTERVAL_MS,
    until: Math.min(interval.until, interval.from + (index + 1) * MAX_INTERVAL_MS),
  }));
}
