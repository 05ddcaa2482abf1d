import { SECOND, type Milliseconds } from './countdown.ts';

/** Source: the specification. The alarm is silent from then on. */
export const ALARM_LENGTH: Milliseconds = 3850;

/** One sine wave, in seconds from the alarm's beginning. */
export interface Tone {
  readonly from: number;
  readonly to: number;
  /** Hertz. */
  readonly frequency: number;
  /** Its loudest, 0 to 1; all that sound at once come to 1 at most. */
  readonly gain: number;
}

/** A gain to be reached, in a straight line from the one before, at a time in seconds. */
export interface GainPoint {
  readonly at: number;
  readonly gain: number;
}

/** What one oscillator is told, in seconds of the AudioContext's own clock. */
export interface ScheduledTone {
  readonly frequency: number;
  readonly start: number;
  readonly stop: number;
  /** The first is at `start` and the last at `stop`, both of gain 0, so that nothing clicks. */
  readonly envelope: readonly GainPoint[];
}

export interface AlarmPlan {
  readonly tones: readonly ScheduledTone[];
  /** When everything falls silent, in seconds of the AudioContext's clock. */
  readonly silentAt: number;
}

/** A5, C sharp 6, E6: a rising chord carries further than one note, and small speakers play all of it. */
const NOTES = [880, 1108.73, 1318.51];
const PHRASES = 4;
const PHRASE = 0.96;
const NOTE_INTERVAL = 0.2;
const NOTE_DURATION = 0.19;
const END = ALARM_LENGTH / SECOND;
const ATTACK = 0.008;
const RELEASE = 0.06;
/** The octave above gives the note an edge that is heard through a room's noise. */
const VOICES = [
  { times: 1, gain: 0.6 },
  { times: 2, gain: 0.25 },
];

const noteTones = (phrase: number, note: number): readonly Tone[] => {
  const from = phrase * PHRASE + note * NOTE_INTERVAL;
  const lastOfPhrase = note === NOTES.length - 1;
  const rest = phrase === PHRASES - 1 ? END : (phrase + 1) * PHRASE - 0.1;
  const to = lastOfPhrase ? rest : from + NOTE_DURATION;
  return VOICES.map(({ times, gain }) => ({ from, to, frequency: (NOTES[note] ?? 0) * times, gain }));
};

/** The alarm: a phrase of three rising notes, four times; the last note rings until the end. */
export const ALARM: readonly Tone[] = Array.from({ length: PHRASES }, (_, phrase) =>
  NOTES.flatMap((_frequency, note) => noteTones(phrase, note)),
).flat();

const scheduled = (tone: Tone, begin: number, earliest: number): ScheduledTone => {
  const start = Math.max(begin + tone.from, earliest);
  const stop = begin + tone.to;
  const length = stop - start;
  const attack = Math.min(ATTACK, length / 3);
  const release = Math.min(RELEASE, length / 3);
  return {
    frequency: tone.frequency,
    start,
    stop,
    envelope: [
      { at: start, gain: 0 },
      { at: start + attack, gain: tone.gain },
      { at: stop - release, gain: tone.gain },
      { at: stop, gain: 0 },
    ],
  };
};

/** Less of a tone than this is not worth an oscillator. */
const MIN_TONE = 0.02;

/**
 * The alarm on an AudioContext's clock. `wait` is how many milliseconds from now it begins: 0 for 'Test audio', what is
 * left of the round to set it ahead, below 0 where the end was noticed late; then only the rest of it sounds, and
 * nothing at all once `ALARM_LENGTH` has passed.
 */
export function alarmPlan(contextNow: number, wait: Milliseconds = 0): AlarmPlan {
  const begin = contextNow + wait / SECOND;
  const silentAt = Math.max(contextNow, begin + END);
  const tones = ALARM.filter((tone) => begin + tone.to - contextNow >= MIN_TONE);
  return { tones: tones.map((tone) => scheduled(tone, begin, contextNow)), silentAt };
}
