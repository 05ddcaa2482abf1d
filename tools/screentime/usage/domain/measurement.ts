import { HOUR_MS } from '#platform/contract/duration.ts';
import { MAX_NAME_LENGTH, type Status } from '../../contract/limits.ts';
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
export function getSoundOwner({ session, lineage, program }: SoundSource, windows: readonly Window[]): string {
  for (const pid of lineage) {
    const window = windows.find((other) => other.pid === pid);
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
  /** Application in use at the last sample. */
  readonly focused: Pick<ReportedInterval, 'app' | 'title'> | undefined;
  /**
   * Focused intervals in order; the last is open if somebody is present. Time after `lastInput` counts only if the
   * person turns out to be present.
   */
  readonly focus: readonly ReportedInterval[];
  /** Background, sound and recording intervals, by application and status. */
  readonly background: ReadonlyMap<string, ReportedInterval>;
}

/** Open and ended intervals. */
export interface MeasuringResult {
  readonly measuring: MeasuringState;
  readonly ended: readonly ReportedInterval[];
}

/** Returns a valid name without control characters; '' if nothing is left. */
export function cleanName(raw: string): string {
  const clean = raw.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ').trim();
  return clean.length <= MAX_NAME_LENGTH ? clean : Array.from(clean).slice(0, MAX_NAME_LENGTH).join('').trim();
}

export function hasLength({ from, until }: ReportedInterval): boolean {
  return until > from;
}

/** Returns intervals that are open at the last sample, also new ones. Focus counts as such while absence is unknown. */
export function listOpenIntervals({ focus, background }: MeasuringState): readonly ReportedInterval[] {
  return [...focus, ...background.values()];
}

const listNonEmpty = (state: MeasuringState): readonly ReportedInterval[] => listOpenIntervals(state).filter(hasLength);

const getKey = (app: string, status: Status): string => `${status} ${app}`;

/** Returns background, sound and recording intervals, starting at `at`. */
function listBackground(sighting: Sighting, isAway: boolean, at: number): ReadonlyMap<string, ReportedInterval> {
  const toEntry = (status: Status) => (app: string) =>
    [getKey(app, status), { app, status, from: at, until: at }] as const;
  const isBehind = (app: string): boolean => isAway || app !== sighting.focused;
  const open = sighting.focused === undefined ? sighting.open : [...sighting.open, sighting.focused];
  return new Map([
    ...open.filter(isBehind).map(toEntry('off')),
    ...sighting.playing.map(toEntry('s')),
    ...sighting.recording.map(toEntry('r')),
  ]);
}

const toFocused = ({ focused, title }: Sighting): MeasuringState['focused'] =>
  focused === undefined ? undefined : { app: focused, title };

function startMeasuring(at: number, now: number, sighting: Sighting, awayAfter: number): MeasuringState {
  const lastInput = at - Math.max(0, now - sighting.lastInput);
  const isAway = at - lastInput >= awayAfter;
  const focused = toFocused(sighting);
  return {
    at,
    lastInput,
    isAway,
    focused,
    focus: focused && !isAway ? [{ ...focused, status: 'on', from: at, until: at }] : [],
    background: listBackground(sighting, isAway, at),
  };
}

const extendInterval = (interval: ReportedInterval, until: number): ReportedInterval => ({ ...interval, until });

/** Extends everything to a later time without changes. */
const extendAll = (state: MeasuringState, at: number): MeasuringState => ({
  ...state,
  at,
  focus: state.focus.map((part, index) =>
    state.focused && index === state.focus.length - 1 ? extendInterval(part, at) : part,
  ),
  background: new Map([...state.background].map(([key, part]) => [key, extendInterval(part, at)])),
});

/** Handles absence since `since`: from then on the focused application was only open. */
function handleAbsence(state: MeasuringState, since: number): MeasuringResult {
  const ended = state.focus.map((part) => extendInterval(part, Math.min(part.until, since)));
  const afterLastInput = state.focus.map(({ app, from, until }): ReportedInterval => ({
    app,
    status: 'off',
    from: Math.max(from, since),
    until,
  }));
  // The application in use stays open in the background.
  const current = state.focused === undefined ? undefined : afterLastInput.at(-1);
  const background = new Map(state.background);
  if (current) background.set(getKey(current.app, 'off'), current);
  return {
    measuring: { ...state, lastInput: since, isAway: true, focus: [], background },
    ended: [...ended, ...(current ? afterLastInput.slice(0, -1) : afterLastInput)],
  };
}

/** Handles a return at `returnTime`. */
function handleReturn(state: MeasuringState, input: number, returnTime: number): MeasuringResult {
  const { focused } = state;
  const background = new Map(state.background);
  const ended: ReportedInterval[] = [];
  const focus: ReportedInterval[] = [];
  if (focused) {
    const key = getKey(focused.app, 'off');
    const part = background.get(key);
    background.delete(key);
    if (part) ended.push(extendInterval(part, returnTime));
    focus.push({ ...focused, status: 'on', from: returnTime, until: state.at });
  }
  return { measuring: { ...state, lastInput: input, isAway: false, focus, background }, ended };
}

/** Updates the last input. After an absence, the first input is between the last sample and this value. */
function applyInput(state: MeasuringState, input: number, before: number, awayAfter: number): MeasuringResult {
  const isNowAway = state.at - input >= awayAfter;
  if (state.isAway)
    return isNowAway
      ? { measuring: { ...state, lastInput: input }, ended: [] }
      : handleReturn(state, input, Math.max(before, Math.ceil((before + input) / 2)));
  if (isNowAway) return handleAbsence(state, input);
  const isCertain = ({ until }: ReportedInterval, index: number): boolean =>
    until <= input && (state.focused === undefined || index < state.focus.length - 1);
  return {
    measuring: { ...state, lastInput: input, focus: state.focus.filter((part, index) => !isCertain(part, index)) },
    ended: state.focus.filter(isCertain),
  };
}

/** Updates what is visible from now on. */
function applySighting(state: MeasuringState, sighting: Sighting): MeasuringResult {
  const { at, isAway } = state;
  const sightedBackground = listBackground(sighting, isAway, at);
  const ended = [...state.background].filter(([key]) => !sightedBackground.has(key)).map(([, part]) => part);
  const background = new Map([...sightedBackground].map(([key, part]) => [key, state.background.get(key) ?? part]));
  const focused = toFocused(sighting);
  const isSame = focused?.app === state.focused?.app && focused?.title === state.focused?.title;
  const focus: readonly ReportedInterval[] =
    isSame || isAway || !focused ? state.focus : [...state.focus, { ...focused, status: 'on', from: at, until: at }];
  return { measuring: { ...state, focused, focus, background }, ended };
}

/**
 * Processes a sample: the previous state lasted until now. If the computer slept, or the clock went back, it lasted
 * until the last sample only.
 */
export function processSighting(
  previous: MeasuringState | undefined,
  now: number,
  sighting: Sighting,
  awayAfter: number,
): MeasuringResult {
  if (!previous) return { measuring: startMeasuring(now, now, sighting, awayAfter), ended: [] };
  if (now < previous.at || now - previous.at > MAX_SIGHTING_GAP_MS)
    return {
      measuring: startMeasuring(Math.max(now, previous.at), now, sighting, awayAfter),
      ended: listNonEmpty(previous),
    };
  const input = Math.min(now, Math.max(sighting.lastInput, previous.lastInput));
  const updated = applyInput(extendAll(previous, now), input, previous.at, awayAfter);
  const { measuring, ended } = applySighting(updated.measuring, sighting);
  return { measuring, ended: [...updated.ended, ...ended].filter(hasLength) };
}

export function endMeasuring(previous: MeasuringState, now: number): readonly ReportedInterval[] {
  const hasSlept = now < previous.at || now - previous.at > MAX_SIGHTING_GAP_MS;
  return listNonEmpty(hasSlept ? previous : extendAll(previous, now));
}

/**
 * Splits off what is certain, so that it can be sent. Focus is certain up to the last input only. Background
 * intervals stay open unless they are included.
 */
export function splitCertain(
  state: MeasuringState,
  { includesBackground }: { readonly includesBackground: boolean },
): MeasuringResult {
  const getCertainEnd = ({ from, until }: ReportedInterval): number => Math.min(until, Math.max(from, state.lastInput));
  const endedBackground = includesBackground ? [...state.background.values()] : [];
  return {
    measuring: {
      ...state,
      focus: state.focus.map((part) => ({ ...part, from: getCertainEnd(part) })),
      background: includesBackground
        ? new Map([...state.background].map(([key, part]) => [key, { ...part, from: part.until }]))
        : state.background,
    },
    ended: [...state.focus.map((part) => extendInterval(part, getCertainEnd(part))), ...endedBackground].filter(
      hasLength,
    ),
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
