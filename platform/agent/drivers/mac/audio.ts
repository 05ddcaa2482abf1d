import type { Ability, AudioDriver, AudioState, SoundUse } from '../drivers.ts';
import { formatDeviceName, hashToColour, nameOutputs } from '../pulse/sessionLabels.ts';
import { createProperty, OUTPUT_SCOPE, type AudioObjects, type AudioProperty } from './audioObjects.ts';

const SYSTEM_OBJECT = 1;
const DEVICES = createProperty('dev#');
const DEFAULT_OUTPUT = createProperty('dOut');
const NAME = createProperty('lnam');
const IS_HIDDEN = createProperty('hidn');
const OUTPUT_STREAMS = createProperty('stm#', OUTPUT_SCOPE);
/** The volume that the menu bar shows. */
const MAIN_VOLUME = createProperty('vmvc', OUTPUT_SCOPE);
const MUTE = createProperty('mute', OUTPUT_SCOPE);
/** Volumes of the whole device, and of its first two channels. */
const DEVICE_VOLUME = createProperty('volm', OUTPUT_SCOPE);
const CHANNEL_VOLUMES = [createProperty('volm', OUTPUT_SCOPE, 1), createProperty('volm', OUTPUT_SCOPE, 2)];

/** Processes with sound, since macOS 14.2. */
const PROCESSES = createProperty('prs#');
const PROCESS_PID = createProperty('ppid');
const IS_RECORDING = createProperty('piri');
const IS_PLAYING = createProperty('piro');

/** Core Audio's own notifications arrive on other threads, which Node can't handle. */
const POLL_INTERVAL_MS = 1000;
const NO_OUTPUT_MESSAGE = 'That Mac has no sound output. Connect one';

interface Output {
  readonly device: number;
  readonly name: string;
  readonly systemName: string;
  /** The properties to set together; empty if the output has no volume, such as a screen. */
  readonly volumes: readonly AudioProperty[];
  readonly level: number;
  readonly muted: boolean;
}

/** Finds the processes that make sound. */
export interface ProcessLookup {
  readonly listAncestors: (pid: number | undefined) => readonly number[];
  readonly getProgramName: (pid: number | undefined) => string;
}

export interface MacAudioOptions {
  readonly objects: AudioObjects;
  readonly processes: ProcessLookup;
  readonly pollIntervalMs?: number | undefined;
}

export interface MacAudio extends AudioDriver, AsyncDisposable {
  readonly onAbilityChange: (listener: () => void) => void;
}

const toLevel = (volume: number): number => Math.round(Math.min(1, Math.max(0, volume)) * 100);

function createOutputReader(objects: AudioObjects) {
  function findVolumes(device: number): readonly AudioProperty[] {
    for (const property of [MAIN_VOLUME, DEVICE_VOLUME])
      if (objects.readFloat(device, property) !== undefined && objects.isSettable(device, property)) return [property];
    return CHANNEL_VOLUMES.filter(
      (property) => objects.readFloat(device, property) !== undefined && objects.isSettable(device, property),
    );
  }
  function listDevices(): readonly number[] {
    const defaultDevice = objects.readNumber(SYSTEM_OBJECT, DEFAULT_OUTPUT);
    return objects
      .listObjects(SYSTEM_OBJECT, DEVICES)
      .filter((device) => objects.getSize(device, OUTPUT_STREAMS) > 0 && !objects.readNumber(device, IS_HIDDEN))
      .toSorted((one, other) => Number(other === defaultDevice) - Number(one === defaultDevice));
  }
  return {
    list: (): readonly Output[] => {
      const defaultDevice = objects.readNumber(SYSTEM_OBJECT, DEFAULT_OUTPUT);
      const devices = listDevices().map((device) => ({ device, systemName: objects.readString(device, NAME) ?? '' }));
      const names = nameOutputs(
        devices.map(({ device, systemName }) => ({ description: systemName, isDefault: device === defaultDevice })),
      );
      return devices.map(({ device, systemName }, index): Output => {
        const volumes = findVolumes(device);
        const levels = volumes.map((property) => toLevel(objects.readFloat(device, property) ?? 0));
        return {
          device,
          systemName,
          name: names[index] ?? systemName,
          volumes,
          level: volumes.length === 0 ? 100 : Math.max(...levels),
          muted: objects.readNumber(device, MUTE) === 1,
        };
      });
    },
    /** Sets an output. Channels keep their relation, as far as they can. */
    set: ({ device, volumes }: Output, level: number, muted: boolean): boolean => {
      const before = volumes.map((property) => objects.readFloat(device, property) ?? 0);
      const loudest = Math.max(...before, 0);
      const results = volumes.map((property, index) => {
        const share = loudest === 0 ? 1 : (before[index] ?? 0) / loudest;
        return objects.setFloat(device, property, (level / 100) * share);
      });
      const isMuteSet = objects.isSettable(device, MUTE) && objects.setNumber(device, MUTE, muted ? 1 : 0);
      return results.includes(true) || isMuteSet;
    },
  };
}

/**
 * Opens the sound outputs. There are no sessions: macOS has no volume for one application, unless a driver of its own
 * is installed.
 */
export function openMacAudio({ objects, processes, pollIntervalMs = POLL_INTERVAL_MS }: MacAudioOptions): MacAudio {
  const outputReader = createOutputReader(objects);
  const listeners: ((state: AudioState) => void)[] = [];
  const useListeners: (() => void)[] = [];
  const abilityListeners: (() => void)[] = [];
  let outputs: readonly Output[] = [];
  let uses: readonly SoundUse[] = [];

  const getState = (): AudioState => ({
    sessions: [],
    outputs: outputs.map(({ name, systemName, level, muted }, index) => ({
      name,
      level,
      muted,
      colour: hashToColour(name),
      ...(index === 0 ? { device: formatDeviceName(systemName) } : {}),
    })),
  });
  function readUses(): readonly SoundUse[] {
    return objects.listObjects(SYSTEM_OBJECT, PROCESSES).flatMap((process) => {
      const pid = objects.readNumber(process, PROCESS_PID);
      const kinds = [
        ...(objects.readNumber(process, IS_PLAYING) === 1 ? (['playing'] as const) : []),
        ...(objects.readNumber(process, IS_RECORDING) === 1 ? (['recording'] as const) : []),
      ];
      if (kinds.length === 0) return [];
      const program = processes.getProgramName(pid);
      const lineage = processes.listAncestors(pid);
      return kinds.map((kind): SoundUse => ({ kind, session: program || `Process ${pid}`, lineage, program }));
    });
  }
  function read(): void {
    const before = JSON.stringify(getState());
    const usesBefore = JSON.stringify(uses);
    const wasAble = outputs.length > 0;
    outputs = outputReader.list();
    uses = readUses();
    if (JSON.stringify(getState()) !== before) for (const listener of listeners) listener(getState());
    if (JSON.stringify(uses) !== usesBefore) for (const listener of useListeners) listener();
    if (outputs.length > 0 !== wasAble) for (const listener of abilityListeners) listener();
  }
  read();
  const timer = setInterval(read, pollIntervalMs);
  return {
    get ability(): Ability {
      return outputs.length > 0 ? { able: true } : { able: false, reason: NO_OUTPUT_MESSAGE };
    },
    getState,
    set: async (group, name, to) => {
      const level = Math.round(to.level);
      const output = group === 'outputs' ? outputs.find((other) => other.name === name) : undefined;
      if (!output || !(level >= 0 && level <= 100)) return false;
      const isSet = outputReader.set(output, level, to.muted);
      read();
      return isSet;
    },
    onChange: (listener) => void listeners.push(listener),
    onAbilityChange: (listener) => void abilityListeners.push(listener),
    listUses: () => uses,
    onUseChange: (listener) => void useListeners.push(listener),
    [Symbol.asyncDispose]: async () => clearInterval(timer),
  };
}
