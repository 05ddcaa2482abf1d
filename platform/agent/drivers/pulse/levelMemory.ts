import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { FULL_VOLUME } from './pulseConnection.ts';

/** One number per channel, 0 to 65536 for 0 to 100 %, and above. */
export type ChannelVolumes = readonly number[];

const loudest = (channels: ChannelVolumes): number => Math.max(0, ...channels);

/** 0 to 100, whole. What stands above 100 shows 100; what can be heard at all shows 1. */
export function toLevel(channels: ChannelVolumes): number {
  const most = loudest(channels);
  return most === 0 ? 0 : Math.min(100, Math.max(1, Math.round((most * 100) / FULL_VOLUME)));
}

/** Each channel's share of the loudest; undefined in silence, where nothing is known of it. */
export function getBalance(channels: ChannelVolumes): ChannelVolumes | undefined {
  const most = loudest(channels);
  return most === 0 ? undefined : channels.map((one) => one / most);
}

/** The channels at this level, with the balance kept. What stands above 100 % stays there when it shall be 100. */
export function setLevel(channels: ChannelVolumes, balance: ChannelVolumes | undefined, level: number): ChannelVolumes {
  if (level === 100 && loudest(channels) > FULL_VOLUME) return channels;
  const most = (level * FULL_VOLUME) / 100;
  return channels.map((_, at) => Math.round(most * (balance?.[at] ?? 1)));
}

/** The same but for rounding: PipeWire counts in other numbers inside. */
export function isSameVolume(one: ChannelVolumes, other: ChannelVolumes): boolean {
  return one.length === other.length && one.every((channel, at) => Math.abs(channel - (other[at] ?? Infinity)) <= 2);
}

/** Of the applications that were set longest ago nothing is kept. */
const MAX_APPLICATIONS = 200;
const WRITE_DEBOUNCE_MS = 500;

const kept = z.object({ name: z.string(), level: z.number().check(z.minimum(0), z.maximum(100)), muted: z.boolean() });
const file = z.array(kept);

export interface VolumeLevel {
  /** 0 to 100. */
  readonly level: number;
  readonly muted: boolean;
}

/** The levels that the user set, by the application's name, kept over restarts. */
export interface LevelStore {
  readonly get: (name: string) => VolumeLevel | undefined;
  readonly set: (name: string, level: VolumeLevel) => void;
  readonly remove: (name: string) => void;
  /** Writes what is not written yet. */
  readonly flush: () => void;
}

const read = (path: string): z.output<typeof file> => {
  try {
    return file.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return []; // none yet, or not one of ours: levels are set again as the user sets them
  }
};

export function openLevelStore(stateDir: string): LevelStore {
  const path = join(stateDir, 'levels.json');
  const levels = new Map(read(path).map(({ name, ...level }) => [name, level]));
  let writing: NodeJS.Timeout | undefined;

  /** Whole or not at all, and for nobody else to read. */
  const write = (): void => {
    clearTimeout(writing);
    writing = undefined;
    writeFileSync(`${path}.part`, JSON.stringify([...levels].map(([name, level]) => ({ name, ...level }))), {
      mode: 0o600,
    });
    renameSync(`${path}.part`, path);
  };
  const changed = (): void => {
    writing ??= setTimeout(write, WRITE_DEBOUNCE_MS);
  };
  return {
    get: (name) => levels.get(name),
    set: (name, { level, muted }) => {
      levels.delete(name);
      levels.set(name, { level, muted });
      const [oldest] = levels.keys();
      if (levels.size > MAX_APPLICATIONS && oldest !== undefined) levels.delete(oldest);
      changed();
    },
    remove: (name) => {
      if (levels.delete(name)) changed();
    },
    flush: () => {
      if (writing) write();
    },
  };
}
