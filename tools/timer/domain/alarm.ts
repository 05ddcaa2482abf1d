import { SECOND_MS } from '#platform/contract/duration.ts';
import type { Milliseconds } from './countdown.ts';

/** How long the alarm sounds (docs/specification/timer.md section 6). */
export const ALARM_LENGTH_MS: Milliseconds = 3850;

/** One sine wave, in seconds from the start of the alarm. */
export interface Tone {
  readonly from: number;
  readonly to: number;
  /** Hertz. */
  readonly frequency: number;
  /** Peak gain, 0 to 1. The gains of all tones that overlap add up to at most 1. */
  readonly gain: number;
}

/** A point of a gain envelope, reached in a straight line from the point before. `at` is in seconds. */
export interface GainPoint {
  readonly at: number;
  readonly gain: number;
}

/** Settings of one oscillator, in seconds of the AudioContext's clock. */
export interface ScheduledTone {
  readonly frequency: number;
  readonly start: number;
  readonly stop: number;
  /** Starts at `start` and ends at `stop`, both with gain 0, so that nothing clicks. */
  readonly envelope: readonly GainPoint[];
}

export interface AlarmPlan {
  readonly tones: readonly ScheduledTone[];
  /** When everything is silent, in seconds of the AudioContext's clock. */
  readonly silentAt: number;
}

/** A5, C sharp 6, E6: a rising chord carries further than one note, and small speakers can play all of it. */
const NOTES = [880, 1108.73, 1318.51];
const PHRASE_COUNT = 4;
const PHRASE_SECONDS = 0.96;
const NOTE_INTERVAL_SECONDS = 0.2;
const NOTE_SECONDS = 0.19;
const ALARM_SECONDS = ALARM_LENGTH_MS / SECOND_MS;
const ATTACK_SECONDS = 0.008;
const RELEASE_SECONDS = 0.06;
/** The octave above gives the note an edge that is audible in a noisy room. */
const VOICES = [
  { factor: 1, gain: 0.6 },
  { factor: 2, gain: 0.25 },
];

function createNoteTones(phrase: number, note: number): readonly Tone[] {
  const from = phrase * PHRASE_SECONDS + note * NOTE_INTERVAL_SECONDS;
  const isLastOfPhrase = note === NOTES.length - 1;
  const phraseEnd = phrase === PHRASE_COUNT - 1 ? ALARM_SECONDS : (phrase + 1) * PHRASE_SECONDS - 0.1;
  const to = isLastOfPhrase ? phraseEnd : from + NOTE_SECONDS;
  return VOICES.map(({ factor, gain }) => ({ from, to, frequency: (NOTES[note] ?? 0) * factor, gain }));
}

/** The alarm: a phrase of three rising notes, four times. The last note rings until the end. */
export const ALARM: readonly Tone[] = Array.from({ length: PHRASE_COUNT }, (_, phrase) =>
  NOTES.flatMap((_frequency, note) => createNoteTones(phrase, note)),
).flat();

function scheduleTone(tone: Tone, alarmStart: number, earliest: number): ScheduledTone {
  const start = Math.max(alarmStart + tone.from, earliest);
  const stop = alarmStart + tone.to;
  const length = stop - start;
  const attack = Math.min(ATTACK_SECONDS, length / 3);
  const release = Math.min(RELEASE_SECONDS, length / 3);
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
}

/** Minimum length of a tone in seconds: less is not worth an oscillator. */
const MIN_TONE_SECONDS = 0.02;

/**
 * Schedules the alarm on an AudioContext's clock.
 * @param delay milliseconds until it starts: 0 to test it, the time left to schedule it ahead, negative if the end was
 * noticed late. Then only the rest of it sounds.
 */
export function planAlarm(contextNow: number, delay: Milliseconds = 0): AlarmPlan {
  const alarmStart = contextNow + delay / SECOND_MS;
  const silentAt = Math.max(contextNow, alarmStart + ALARM_SECONDS);
  const tones = ALARM.filter((tone) => alarmStart + tone.to - contextNow >= MIN_TONE_SECONDS);
  return { tones: tones.map((tone) => scheduleTone(tone, alarmStart, contextNow)), silentAt };
}
