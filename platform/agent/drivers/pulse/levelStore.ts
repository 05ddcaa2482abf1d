import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomically } from '../../writeFileAtomically.ts';
import { FULL_VOLUME } from './pulseConnection.ts';

/** One number per channel: 0 to 65536 for 0 to 100 %, more for louder than 100 %. */
export type ChannelVolumes = readonly number[];

const getMaxVolume = (channels: ChannelVolumes): number => Math.max(0, ...channels);

/** Converts volumes to a whole number from 0 to 100. More than 100 % becomes 100; anything audible is at least 1. */
export function toLevel(channels: ChannelVolumes): number {
  const maxVolume = getMaxVolume(channels);
  return maxVolume === 0 ? 0 : Math.min(100, Math.max(1, Math.round((maxVolume * 100) / FULL_VOLUME)));
}

/** Returns each channel's share of the loudest one; undefined if all are silent, as the balance is unknown then. */
export function getBalance(channels: ChannelVolumes): ChannelVolumes | undefined {
  const maxVolume = getMaxVolume(channels);
  return maxVolume === 0 ? undefined : channels.map((volume) => volume / maxVolume);
}

/** Sets the channels to a level and keeps the balance. Volumes above 100 % stay if the new level is 100. */
export function setLevel(channels: ChannelVolumes, balance: ChannelVolumes | undefined, level: number): ChannelVolumes {
  if (level === 100 && getMaxVolume(channels) > FULL_VOLUME) return channels;
  const maxVolume = (level * FULL_VOLUME) / 100;
  return channels.map((_, index) => Math.round(maxVolume * (balance?.[index] ?? 1)));
}

/** Returns whether two volumes are the same apart from rounding: PipeWire uses other numbers internally. */
export function isSameVolume(one: ChannelVolumes, other: ChannelVolumes): boolean {
  return (
    one.length === other.length && one.every((volume, index) => Math.abs(volume - (other[index] ?? Infinity)) <= 2)
  );
}

/** Number of stored applications; those that were set longest ago are removed. */
const MAX_APPLICATIONS = 200;
const WRITE_DEBOUNCE_MS = 500;

const storedLevel = z.object({
  name: z.string(),
  level: z.number().check(z.minimum(0), z.maximum(100)),
  muted: z.boolean(),
});
const levelsFile = z.array(storedLevel);

export interface VolumeLevel {
  /** 0 to 100. */
  readonly level: number;
  readonly muted: boolean;
}

/** The levels that the user set, by application name. They survive restarts. */
export interface LevelStore {
  readonly get: (name: string) => VolumeLevel | undefined;
  readonly set: (name: string, level: VolumeLevel) => void;
  readonly remove: (name: string) => void;
  /** Writes pending changes to disk. */
  readonly flush: () => void;
}

function readLevels(path: string): z.output<typeof levelsFile> {
  try {
    return levelsFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return []; // missing or invalid: levels are stored again when the user sets them
  }
}

export function openLevelStore(stateDir: string): LevelStore {
  const path = join(stateDir, 'levels.json');
  const levels = new Map(readLevels(path).map(({ name, ...level }) => [name, level]));
  let writeTimer: NodeJS.Timeout | undefined;

  function write(): void {
    clearTimeout(writeTimer);
    writeTimer = undefined;
    writeFileAtomically(path, JSON.stringify([...levels].map(([name, level]) => ({ name, ...level }))));
  }
  function scheduleWrite(): void {
    writeTimer ??= setTimeout(write, WRITE_DEBOUNCE_MS);
  }
  return {
    get: (name) => levels.get(name),
    set: (name, { level, muted }) => {
      levels.delete(name);
      levels.set(name, { level, muted });
      const [oldest] = levels.keys();
      if (levels.size > MAX_APPLICATIONS && oldest !== undefined) levels.delete(oldest);
      scheduleWrite();
    },
    remove: (name) => {
      if (levels.delete(name)) scheduleWrite();
    },
    flush: () => {
      if (writeTimer) write();
    },
  };
}
