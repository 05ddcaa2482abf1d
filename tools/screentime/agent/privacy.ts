import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { DAY_MINUTES, MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { toWireName } from '../usage/domain/usageReport.ts';
import { writeOwn } from './agentFiles.ts';
import { steadyClock, type SteadyClock } from './steadyClock.ts';

/** The owner's settings for measuring usage. */
const settingsSchema = z.object({
  titles: z.boolean(),
  excluded: z.array(z.string()),
  /** Milliseconds since the epoch, by the computer's own clock when this was written. */
  pausedUntil: z.number(),
});
type PrivacySettings = z.output<typeof settingsSchema>;

const DEFAULT_SETTINGS: PrivacySettings = { titles: false, excluded: [], pausedUntil: 0 };
const DEFAULT_PAUSE_MINUTES = 15;
const MAX_PAUSE_MINUTES = 7 * DAY_MINUTES;
const MAX_EXCLUDED = 500;

const FILE = 'usage.json';

const load = (folder: string): PrivacySettings => {
  const path = join(folder, FILE);
  if (!existsSync(path)) return DEFAULT_SETTINGS;
  try {
    return settingsSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // Ignoring the file could measure what its owner had excluded.
    throw new Refusal(
      'screentime.settings_unreadable',
      `${path} cannot be read. Delete it, and exclude your applications again`,
    );
  }
};

const fold = (name: string): string => name.trim().toLowerCase();
/** Formats `14:30`, with the date if it is not today. */
const formatClockTime = (instant: number): string => {
  const at = new Date(instant);
  const time = at.toTimeString().slice(0, 5);
  return at.toDateString() === new Date().toDateString() ? time : `${at.toDateString().slice(0, 10)}, ${time}`;
};
const formatList = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));

interface PrivacyChange {
  readonly next: PrivacySettings;
  readonly lines: readonly string[];
}
type PrivacySubcommand = (now: PrivacySettings, rest: readonly string[]) => PrivacyChange;

const pause: PrivacySubcommand = (now, [value = String(DEFAULT_PAUSE_MINUTES), ...more]) => {
  const minutes = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (more.length > 0 || minutes < 1 || minutes > MAX_PAUSE_MINUTES)
    throw new Refusal(
      'screentime.invalid_minutes',
      `Enter a number of minutes from 1 to ${MAX_PAUSE_MINUTES}, for example \`pause usage 15\``,
    );
  const pausedUntil = Date.now() + minutes * MINUTE_MS;
  return {
    next: { ...now, pausedUntil },
    lines: [`Usage tracking is paused until ${formatClockTime(pausedUntil)}`],
  };
};
const resume: PrivacySubcommand = (now) => ({
  next: { ...now, pausedUntil: 0 },
  lines: ['Usage tracking is on'],
});
const exclude: PrivacySubcommand = (now, rest) => {
  const name = rest.join(' ').trim();
  const others = now.excluded.filter((one) => fold(one) !== fold(name));
  const excluded = name === '' ? now.excluded : [...others, name];
  if (excluded.length > MAX_EXCLUDED)
    throw new Refusal(
      'screentime.too_many_excluded',
      `At most ${MAX_EXCLUDED} applications can be excluded. Include one first`,
    );
  return { next: { ...now, excluded }, lines: [`Excluded: ${formatList(excluded)}`] };
};
const include: PrivacySubcommand = (now, rest) => {
  const name = rest.join(' ').trim();
  if (name === '')
    throw new Refusal(
      'screentime.application_missing',
      `Enter the application to include. Excluded: ${formatList(now.excluded)}`,
    );
  const excluded = now.excluded.filter((one) => fold(one) !== fold(name));
  if (excluded.length === now.excluded.length)
    throw new Refusal('screentime.not_excluded', `'${name}' is not excluded. Excluded: ${formatList(now.excluded)}`);
  return { next: { ...now, excluded }, lines: [`Excluded: ${formatList(excluded)}`] };
};
const titles: PrivacySubcommand = (now, rest) => {
  const [value] = rest;
  if (rest.length !== 1 || (value !== 'on' && value !== 'off'))
    throw new Refusal('agent.invalid_command', 'Use `titles on` or `titles off`');
  return {
    next: { ...now, titles: value === 'on' },
    lines: [value === 'on' ? 'Window titles are recorded' : 'Window titles are not recorded'],
  };
};

const words = { 'pause usage': pause, 'resume usage': resume, exclude, include, titles } as const;
export type PrivacyWord = keyof typeof words;
export const privacyWords = Object.keys(words) as readonly PrivacyWord[];

/**
 * Runs a privacy command while no agent runs; it takes effect at the next start.
 * @throws Refusal for invalid arguments
 */
export function setPrivacy(folder: string, word: PrivacyWord, rest: readonly string[]): readonly string[] {
  const { next, lines } = words[word](load(folder), rest);
  writeOwn(folder, FILE, next);
  return lines;
}

/** What may be measured on this computer, as its owner decided. */
export interface Privacy {
  readonly isPaused: () => boolean;
  readonly isExcluded: (application: string) => boolean;
  readonly keepsTitles: () => boolean;
  /**
   * Runs a privacy command.
   * @throws Refusal for invalid arguments
   */
  readonly obey: (word: PrivacyWord, rest: readonly string[]) => readonly string[];
  readonly status: () => readonly string[];
}

/**
 * Opens the privacy settings. A pause keeps its length even if the system clock is changed; that clock counts only at a
 * restart.
 * @throws Refusal if the file can't be read: then nothing may be measured.
 */
export function openPrivacy(folder: string, clock: SteadyClock = steadyClock()): Privacy {
  let now = load(folder);
  let excluded = new Set(now.excluded.map(fold));
  /** By the steady clock. */
  const getEnd = ({ pausedUntil }: PrivacySettings): number => clock() + pausedUntil - Date.now();
  let pauseEnds = getEnd(now);
  const isPaused = (): boolean => clock() < pauseEnds;
  /** By the system clock. */
  const pausedUntil = (): number => (isPaused() ? Date.now() + pauseEnds - clock() : 0);
  return {
    isPaused,
    isExcluded: (application) => [application, toWireName(application)].some((name) => excluded.has(fold(name))),
    keepsTitles: () => now.titles,
    obey: (word, rest) => {
      const { next, lines } = words[word]({ ...now, pausedUntil: pausedUntil() }, rest);
      now = next;
      pauseEnds = getEnd(next);
      excluded = new Set(now.excluded.map(fold));
      try {
        writeOwn(folder, FILE, next);
      } catch (error) {
        // The setting applies also if the disk is full.
        if (error instanceof Refusal) return [...lines, `This lasts only until the agent stops: ${error.message}`];
        throw error;
      }
      return lines;
    },
    status: () => [
      ...(isPaused() ? [`paused until ${formatClockTime(pausedUntil())}`] : []),
      ...(now.excluded.length > 0 ? [`excluded: ${now.excluded.join(', ')}`] : []),
      ...(now.titles ? ['window titles are recorded'] : []),
    ],
  };
}
