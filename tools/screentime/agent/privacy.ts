import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { DAY_MINUTES, MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { toWireName } from '../usage/domain/usageReport.ts';
import { createSteadyClock, type SteadyClock } from './steadyClock.ts';
import { writePrivateFile } from './writePrivateFile.ts';

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

const FILE_NAME = 'usage.json';

function loadSettings(folder: string): PrivacySettings {
  const path = join(folder, FILE_NAME);
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
}

const foldName = (name: string): string => name.trim().toLowerCase();
/** Formats `14:30`, with the date if it is not today. */
function formatClockTime(instant: number): string {
  const date = new Date(instant);
  const time = date.toTimeString().slice(0, 5);
  return date.toDateString() === new Date().toDateString() ? time : `${date.toDateString().slice(0, 10)}, ${time}`;
}
const formatList = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));

interface PrivacyChange {
  readonly next: PrivacySettings;
  readonly lines: readonly string[];
}
type PrivacySubcommand = (current: PrivacySettings, args: readonly string[]) => PrivacyChange;

const pause: PrivacySubcommand = (current, [value = String(DEFAULT_PAUSE_MINUTES), ...more]) => {
  const minutes = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (more.length > 0 || minutes < 1 || minutes > MAX_PAUSE_MINUTES)
    throw new Refusal(
      'screentime.invalid_minutes',
      `Enter a number of minutes from 1 to ${MAX_PAUSE_MINUTES}, for example \`pause usage 15\``,
    );
  const pausedUntil = Date.now() + minutes * MINUTE_MS;
  return {
    next: { ...current, pausedUntil },
    lines: [`Usage tracking is paused until ${formatClockTime(pausedUntil)}`],
  };
};
const resume: PrivacySubcommand = (current) => ({
  next: { ...current, pausedUntil: 0 },
  lines: ['Usage tracking is on'],
});
const exclude: PrivacySubcommand = (current, args) => {
  const name = args.join(' ').trim();
  const otherNames = current.excluded.filter((other) => foldName(other) !== foldName(name));
  const excluded = name === '' ? current.excluded : [...otherNames, name];
  if (excluded.length > MAX_EXCLUDED)
    throw new Refusal(
      'screentime.too_many_excluded',
      `At most ${MAX_EXCLUDED} applications can be excluded. Include one first`,
    );
  return { next: { ...current, excluded }, lines: [`Excluded: ${formatList(excluded)}`] };
};
const include: PrivacySubcommand = (current, args) => {
  const name = args.join(' ').trim();
  if (name === '')
    throw new Refusal(
      'screentime.application_missing',
      `Enter the application to include. Excluded: ${formatList(current.excluded)}`,
    );
  const excluded = current.excluded.filter((other) => foldName(other) !== foldName(name));
  if (excluded.length === current.excluded.length)
    throw new Refusal(
      'screentime.not_excluded',
      `'${name}' is not excluded. Excluded: ${formatList(current.excluded)}`,
    );
  return { next: { ...current, excluded }, lines: [`Excluded: ${formatList(excluded)}`] };
};
const setTitles: PrivacySubcommand = (current, args) => {
  const [value] = args;
  if (args.length !== 1 || (value !== 'on' && value !== 'off'))
    throw new Refusal('agent.invalid_command', 'Use `titles on` or `titles off`');
  return {
    next: { ...current, titles: value === 'on' },
    lines: [value === 'on' ? 'Window titles are recorded' : 'Window titles are not recorded'],
  };
};

const subcommands = { 'pause usage': pause, 'resume usage': resume, exclude, include, titles: setTitles } as const;
export type PrivacyCommand = keyof typeof subcommands;
export const privacyCommands = Object.keys(subcommands) as readonly PrivacyCommand[];

/**
 * Runs a privacy command while no agent runs; it takes effect at the next start.
 * @throws Refusal for invalid arguments
 */
export function setPrivacy(folder: string, command: PrivacyCommand, args: readonly string[]): readonly string[] {
  const { next, lines } = subcommands[command](loadSettings(folder), args);
  writePrivateFile(folder, FILE_NAME, next);
  return lines;
}

/** What may be measured on this computer, as its owner decided. */
export interface Privacy {
  readonly isPaused: () => boolean;
  readonly isExcluded: (application: string) => boolean;
  readonly recordsTitles: () => boolean;
  /**
   * Runs a privacy command.
   * @throws Refusal for invalid arguments
   */
  readonly run: (command: PrivacyCommand, args: readonly string[]) => readonly string[];
  readonly status: () => readonly string[];
}

/**
 * Opens the privacy settings. A pause keeps its length even if the system clock is changed; that clock counts only at a
 * restart.
 * @throws Refusal if the file can't be read: then nothing may be measured.
 */
export function openPrivacy(folder: string, clock: SteadyClock = createSteadyClock()): Privacy {
  let settings = loadSettings(folder);
  let excludedNames = new Set(settings.excluded.map(foldName));
  /** Returns the end of the pause by the steady clock. */
  const getPauseEnd = ({ pausedUntil }: PrivacySettings): number => clock() + pausedUntil - Date.now();
  let pauseEnd = getPauseEnd(settings);
  const isPaused = (): boolean => clock() < pauseEnd;
  /** Returns the end of the pause by the system clock; 0 if there is none. */
  const getPausedUntil = (): number => (isPaused() ? Date.now() + pauseEnd - clock() : 0);
  return {
    isPaused,
    isExcluded: (application) =>
      [application, toWireName(application)].some((name) => excludedNames.has(foldName(name))),
    recordsTitles: () => settings.titles,
    run: (command, args) => {
      const { next, lines } = subcommands[command]({ ...settings, pausedUntil: getPausedUntil() }, args);
      settings = next;
      pauseEnd = getPauseEnd(next);
      excludedNames = new Set(settings.excluded.map(foldName));
      try {
        writePrivateFile(folder, FILE_NAME, next);
      } catch (error) {
        // The setting applies also if the disk is full.
        if (error instanceof Refusal) return [...lines, `This lasts only until the agent stops: ${error.message}`];
        throw error;
      }
      return lines;
    },
    status: () => [
      ...(isPaused() ? [`paused until ${formatClockTime(getPausedUntil())}`] : []),
      ...(settings.excluded.length > 0 ? [`excluded: ${settings.excluded.join(', ')}`] : []),
      ...(settings.titles ? ['window titles are recorded'] : []),
    ],
  };
}
