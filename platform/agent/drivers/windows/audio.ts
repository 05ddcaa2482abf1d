import { Refusal } from '#platform/contract/refusal.ts';
import type { AudioGroup, AudioLevel, AudioState, SoundUse } from '../drivers.ts';
import type { PulseAudioDriver } from '../pulse/pulseAudio.ts';
import { formatDeviceName, getSessionName, hashToColour, nameOutputs } from '../pulse/sessionLabels.ts';
import { openCoreAudio, type SoundSession, type SoundSnapshot, type SoundSystem } from './coreAudio.ts';
import { getProgramName, listAncestors } from './processTable.ts';

/** Windows would report changes on threads of its own, which Node can't take. So the state is read again and again. */
const READ_INTERVAL_MS = 2000;
const READ_AFTER_SET_DELAY_MS = 100;
const RETRY_INTERVAL_MS = 5000;
const NOT_FOUND_MESSAGE = 'Windows found no sound output on that computer. Connect one, or start Windows Audio there';

/** Looks up processes. */
export interface ProcessLookup {
  readonly getProgramName: (pid: number) => string;
  readonly listAncestors: (pid: number) => readonly number[];
}

export interface WindowsAudioOptions {
  readonly openSound?: () => SoundSystem;
  readonly processes?: ProcessLookup;
  readonly readIntervalMs?: number;
}

/** Converts a fraction to a whole number from 0 to 100. Anything audible is at least 1. */
function toLevel(fraction: number): number {
  return fraction <= 0 ? 0 : Math.min(100, Math.max(1, Math.round(fraction * 100)));
}

/** A slider, and what Windows knows by it. */
interface Slider extends AudioLevel {
  readonly ids: readonly string[];
}
interface Sliders {
  readonly sessions: readonly Slider[];
  readonly outputs: readonly Slider[];
}
const NO_SLIDERS: Sliders = { sessions: [], outputs: [] };

/** Returns the sliders of a state: one for each program, the default output first. */
export function toSliders({ outputs, sessions }: SoundSnapshot, getName: (session: SoundSession) => string): Sliders {
  const sorted = outputs.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));
  const names = nameOutputs(sorted.map(({ name, isDefault }) => ({ description: name, isDefault })));
  const byName = new Map<string, Slider>();
  for (const session of sessions) {
    const name = getName(session);
    const before = byName.get(name);
    byName.set(name, {
      name,
      level: Math.max(toLevel(session.level), before?.level ?? 0),
      muted: session.isMuted && (before?.muted ?? true),
      colour: hashToColour(name),
      ids: [...(before?.ids ?? []), session.id],
    });
  }
  return {
    sessions: [...byName.values()],
    outputs: sorted.map(({ id, name: description, level, isMuted, isDefault }, index) => {
      const name = names[index] ?? description;
      return {
        name,
        level: toLevel(level),
        muted: isMuted,
        colour: hashToColour(name),
        ids: [id],
        ...(isDefault ? { device: formatDeviceName(description) } : {}),
      };
    }),
  };
}

const toAudioLevel = ({ name, level, muted, colour, device }: Slider): AudioLevel => ({
  name,
  level,
  muted,
  colour,
  ...(device === undefined ? {} : { device }),
});

const toAudioState = ({ sessions, outputs }: Sliders): AudioState => ({
  sessions: sessions.map(toAudioLevel),
  outputs: outputs.map(toAudioLevel),
});

/** Identifies a set of active sessions. */
const formatActiveIds = (sessions: readonly SoundSession[]): string =>
  sessions.flatMap(({ isActive, id }) => (isActive ? [id] : [])).join('\n');

/** Opens the sound of Windows. Windows itself restores the level of each program. */
export function openWindowsAudio({
  openSound = openCoreAudio,
  processes = { getProgramName, listAncestors },
  readIntervalMs = READ_INTERVAL_MS,
}: WindowsAudioOptions = {}): PulseAudioDriver {
  const changeListeners: ((state: AudioState) => void)[] = [];
  const abilityListeners: (() => void)[] = [];
  const useListeners: (() => void)[] = [];
  let sound: SoundSystem | undefined;
  let sliders = NO_SLIDERS;
  let uses: readonly SoundUse[] = [];
  let isAble = false;
  let reason = NOT_FOUND_MESSAGE;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const programs = new Map<number, string>();

  function findProgram(pid: number): string {
    const program = programs.get(pid) ?? processes.getProgramName(pid);
    programs.set(pid, program);
    return program;
  }
  /** Names that start with @ are references to texts in a library of Windows. */
  const getName = ({ name, pid }: SoundSession): string =>
    getSessionName({
      properties: {
        ...(name !== '' && !name.startsWith('@') ? { 'application.name': name } : {}),
        'application.process.binary': findProgram(pid),
      },
    });
  const toSoundUse = (session: SoundSession, kind: SoundUse['kind']): SoundUse => ({
    kind,
    session: getName(session),
    lineage: processes.listAncestors(session.pid),
    program: findProgram(session.pid),
  });
  let activeIds = '';

  function setSliders(next: Sliders): void {
    const isChanged = JSON.stringify(next) !== JSON.stringify(sliders);
    sliders = next;
    if (isChanged) for (const listener of changeListeners) listener(toAudioState(sliders));
  }
  function setUses({ sessions, recordings }: SoundSnapshot): void {
    const nextIds = `${formatActiveIds(sessions)}\n\n${formatActiveIds(recordings)}`;
    if (nextIds === activeIds) return;
    activeIds = nextIds;
    uses = [
      ...sessions.filter(({ isActive }) => isActive).map((session) => toSoundUse(session, 'playing')),
      ...recordings.filter(({ isActive }) => isActive).map((session) => toSoundUse(session, 'recording')),
    ];
    for (const listener of useListeners) listener();
  }
  function setAble(now: boolean): void {
    if (isAble === now) return;
    isAble = now;
    for (const listener of abilityListeners) listener();
  }
  function applySnapshot(snapshot: SoundSnapshot): void {
    const pids = new Set([...snapshot.sessions, ...snapshot.recordings].map(({ pid }) => pid));
    for (const pid of programs.keys()) if (!pids.has(pid)) programs.delete(pid);
    setSliders(toSliders(snapshot, getName));
    setUses(snapshot);
    setAble(snapshot.outputs.length > 0);
  }
  function readLater(delayMs: number): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(read, delayMs);
  }
  function closeSound(): void {
    sound?.[Symbol.dispose]();
    sound = undefined;
  }
  function read(): void {
    try {
      sound ??= openSound();
      const snapshot = sound.read();
      applySnapshot(snapshot);
      // Windows Audio may have stopped. Its objects don't survive that.
      if (snapshot.outputs.length === 0) closeSound();
      readLater(readIntervalMs);
    } catch (error) {
      // This Node is too old, Windows Audio has stopped, or this computer has no sound.
      reason = error instanceof Refusal ? error.message : NOT_FOUND_MESSAGE;
      closeSound();
      applySnapshot({ outputs: [], sessions: [], recordings: [] });
      readLater(RETRY_INTERVAL_MS);
    }
  }
  read();

  function setOne(group: AudioGroup, id: string, level: number, isMuted: boolean): boolean {
    try {
      if (group === 'outputs') sound?.setOutput(id, { level, isMuted });
      else sound?.setSession(id, { level, isMuted });
      return sound !== undefined;
    } catch {
      return false; // it is gone, or can't be set
    }
  }
  return {
    get ability() {
      return isAble ? ({ able: true } as const) : { able: false, reason };
    },
    getState: () => toAudioState(sliders),
    set: async (group, name, to) => {
      const level = Math.round(to.level);
      if (!(level >= 0 && level <= 100)) return false;
      const slider = sliders[group].find((one) => one.name === name);
      const results = slider?.ids.map((id) => setOne(group, id, level / 100, to.muted)) ?? [];
      readLater(READ_AFTER_SET_DELAY_MS);
      if (!results.includes(true)) return false;
      const replace = (one: Slider): Slider => (one.name === name ? { ...one, level, muted: to.muted } : one);
      setSliders({ ...sliders, [group]: sliders[group].map(replace) });
      return true;
    },
    onChange: (listener) => void changeListeners.push(listener),
    onAbilityChange: (listener) => void abilityListeners.push(listener),
    listUses: () => uses,
    onUseChange: (listener) => void useListeners.push(listener),
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      clearTimeout(timer);
      closeSound();
    },
  };
}
