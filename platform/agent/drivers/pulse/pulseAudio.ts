import type { Ability, AudioDriver, AudioGroup, AudioLevel, AudioState } from '../drivers.ts';
import { ECHO_WINDOW_MS, isSameLevel, createEchoFilter } from './echoFilter.ts';
import {
  openLevelStore,
  type VolumeLevel,
  setLevel,
  getBalance,
  isSameVolume,
  toLevel,
  type ChannelVolumes,
} from './levelStore.ts';
import {
  readPulseCookie,
  listSocketPaths,
  openPulseConnection,
  type AudioSnapshot,
  type PulseConnection,
  type Voice,
  type VoiceKind,
} from './pulseConnection.ts';
import {
  hashToColour,
  formatDeviceName,
  getIconName,
  isEventSound,
  nameOutputs,
  getSessionName,
} from './sessionLabels.ts';
import { createSoundUseTracker } from './soundUseTracker.ts';

const READ_DEBOUNCE_MS = 5;
const MIN_RETRY_DELAY_MS = 250;
const MAX_RETRY_DELAY_MS = 5000;
const SETTLING_MS = 1000;
const NOT_FOUND_MESSAGE = 'No sound server was found on that computer. Start PulseAudio or PipeWire there';
const DISCONNECTED_MESSAGE = 'The agent lost the sound server of that computer and is looking for it';

export interface AudioOptions {
  /** The environment that names the sound server: PULSE_SERVER, XDG_RUNTIME_DIR, HOME. */
  readonly env: NodeJS.ProcessEnv;
  readonly stateDir: string;
  /** How long an application or the desktop's session manager may still adjust the level of a new stream. */
  readonly settlingMs?: number;
}

export interface PulseAudioDriver extends AudioDriver, AsyncDisposable {
  /** Registers a listener for the sound server appearing or disappearing. */
  readonly onAbilityChange: (listener: () => void) => void;
}

/** The last known state of a stream or an output. */
interface KnownVoice extends VolumeLevel {
  readonly kind: VoiceKind;
  readonly index: number;
  readonly name: string;
  readonly colour: string;
  /** Only set for the default output. */
  readonly device: string | undefined;
  readonly volume: ChannelVolumes;
  readonly balance: ChannelVolumes | undefined;
  /** The volume that we set last, to recognize our own rounding. */
  readonly sent: ChannelVolumes | undefined;
  /** Time at which it was first reported. */
  readonly firstSeenAt: number;
}

type NamedVoice = Pick<KnownVoice, 'kind' | 'name' | 'colour' | 'device'> & { readonly voice: Voice };

const getVoiceKey = (kind: VoiceKind, index: number): string => `${kind} ${index}`;

/** Returns the streams with a slider and the outputs, each with its name; the default output is first. */
function listNamedVoices({ streams, outputs }: AudioSnapshot): readonly NamedVoice[] {
  const sorted = outputs.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));
  const names = nameOutputs(sorted);
  return [
    ...sorted.map((voice, index): NamedVoice => {
      const name = names[index] ?? voice.description;
      const device = voice.isDefault ? formatDeviceName(voice.description) : undefined;
      return { kind: 'output', name, colour: hashToColour(name), device, voice };
    }),
    ...streams
      .filter((voice) => !isEventSound(voice))
      .map((voice): NamedVoice => {
        const name = getSessionName(voice);
        return { kind: 'stream', name, colour: hashToColour(getIconName(voice) ?? name), device: undefined, voice };
      }),
  ];
}

/** Merges streams of the same name into one slider: the loudest level, muted if all are muted. */
function mergeSessions(voices: Iterable<KnownVoice>): readonly AudioLevel[] {
  const sessions = new Map<string, AudioLevel>();
  for (const { kind, name, level, muted, colour } of voices) {
    if (kind !== 'stream') continue;
    const before = sessions.get(name);
    sessions.set(name, {
      name,
      level: Math.max(level, before?.level ?? 0),
      muted: muted && (before?.muted ?? true),
      colour: before?.colour ?? colour,
    });
  }
  return [...sessions.values()];
}

function toAudioState(voices: Iterable<KnownVoice>): AudioState {
  const all = [...voices];
  return {
    sessions: mergeSessions(all),
    outputs: all.flatMap(({ kind, name, level, muted, colour, device }) =>
      kind === 'output' ? [{ name, level, muted, colour, ...(device === undefined ? {} : { device }) }] : [],
    ),
  };
}

/**
 * Opens the sound of this computer through PulseAudio's protocol, which PipeWire speaks too. Reconnects when the sound
 * server restarts.
 */
export function openPulseAudio({ env, stateDir, settlingMs = SETTLING_MS }: AudioOptions): PulseAudioDriver {
  const levels = openLevelStore(stateDir);
  const echoes = createEchoFilter(() => performance.now());
  const changeListeners: ((state: AudioState) => void)[] = [];
  const abilityListeners: (() => void)[] = [];
  const useTracker = createSoundUseTracker();
  let connection: PulseConnection | undefined;
  let server: number | undefined;
  let voices = new Map<string, KnownVoice>();
  let state: AudioState = { sessions: [], outputs: [] };
  let reason = NOT_FOUND_MESSAGE;
  let retryDelayMs = MIN_RETRY_DELAY_MS;
  /** Connected, and the state was read at least once. */
  let isAble = false;
  let isClosed = false;
  let isReading = false;
  let isStale = false;
  const timers: { connect?: NodeJS.Timeout; read?: NodeJS.Timeout | undefined; refresh?: NodeJS.Timeout } = {};

  function publish(): void {
    const next = toAudioState(voices.values());
    if (JSON.stringify(next) === JSON.stringify(state)) return;
    state = next;
    for (const listener of changeListeners) listener(state);
  }

  /** Returns the new state of a voice after a report. */
  function updateVoice({ voice, ...named }: NamedVoice, before: KnownVoice | undefined): KnownVoice {
    const { kind } = named;
    const { index, volume } = voice;
    const reported = { level: toLevel(volume), muted: voice.muted };
    const { level, muted } = before ? echoes.resolve(getVoiceKey(kind, index), reported) : reported;
    const isOurs = before?.sent !== undefined && isSameVolume(before.sent, volume);
    return {
      ...named,
      index,
      level,
      muted,
      volume,
      balance: isOurs ? before.balance : (getBalance(volume) ?? before?.balance),
      firstSeenAt: before?.firstSeenAt ?? performance.now(),
      sent: isOurs ? before.sent : undefined,
    };
  }

  async function setVoice(voice: KnownVoice, to: VolumeLevel): Promise<boolean> {
    const key = getVoiceKey(voice.kind, voice.index);
    const volume = setLevel(voice.volume, voice.balance, to.level);
    if (!connection) return false;
    echoes.recordChange(key, voice, to);
    voices.set(key, { ...voice, ...to, sent: volume });
    const results = await Promise.allSettled([
      connection.setVolume(voice.kind, voice.index, volume),
      connection.setMuted(voice.kind, voice.index, to.muted),
    ]);
    const isSet = results.every(({ status }) => status === 'fulfilled');
    if (isSet) echoes.onAcknowledged(key);
    // The voice has vanished or can't be set, so the reported level counts.
    else echoes.remove(key);
    return isSet;
  }
  /** Sets these voices, and reads the state again after the echoes, when reported levels are correct. */
  async function setVoices(selected: readonly KnownVoice[], to: VolumeLevel): Promise<boolean> {
    const results = await Promise.all(selected.map((voice) => setVoice(voice, to)));
    clearTimeout(timers.refresh);
    if (!isClosed) timers.refresh = setTimeout(readSoon, ECHO_WINDOW_MS);
    publish();
    return results.includes(true);
  }

  /** Returns whether the stored level is obsolete: somebody else changed it, and not just because the stream is new. */
  const isOverruled = (before: KnownVoice | undefined, now: KnownVoice): boolean =>
    before !== undefined && !isSameLevel(before, now) && performance.now() - before.firstSeenAt > settlingMs;

  function applySnapshot(snapshot: AudioSnapshot, isSameRun: boolean): void {
    const before = isSameRun ? voices : new Map<string, KnownVoice>();
    const isFirst = server === undefined;
    if (!isSameRun) echoes.clear();
    useTracker.update(snapshot.used);
    voices = new Map();
    const newVoices: KnownVoice[] = [];
    for (const named of listNamedVoices(snapshot)) {
      const key = getVoiceKey(named.kind, named.voice.index);
      const now = updateVoice(named, before.get(key));
      voices.set(key, now);
      if (now.kind !== 'stream') continue;
      if (isOverruled(before.get(key), now)) levels.remove(now.name);
      if (!before.has(key) && !isFirst) newVoices.push(now);
    }
    publish();
    for (const voice of newVoices) {
      const storedLevel = levels.get(voice.name);
      if (storedLevel && !isSameLevel(voice, storedLevel)) void setVoices([voice], storedLevel);
    }
  }

  async function read(): Promise<void> {
    const reading = connection;
    if (!reading || isReading) {
      isStale = isReading;
      return;
    }
    isReading = true;
    try {
      const snapshot = await reading.read();
      if (reading !== connection) return;
      const run = reading.server;
      applySnapshot(snapshot, server === undefined || server === run);
      server = run;
    } catch {
      // Either the connection is lost, and then `onLost` follows, or the answer was not understood.
      reading.close();
      if (reading === connection) handleLost();
    } finally {
      isReading = false;
    }
    if (isStale) {
      isStale = false;
      await read();
    }
  }
  function readSoon(): void {
    timers.read ??= setTimeout(() => {
      timers.read = undefined;
      void read();
    }, READ_DEBOUNCE_MS);
  }

  function setAble(now: boolean): void {
    if (isAble === now) return;
    isAble = now;
    for (const listener of abilityListeners) listener();
  }
  function retryLater(): void {
    if (isClosed) return;
    timers.connect = setTimeout(() => void connect(), retryDelayMs);
    retryDelayMs = Math.min(MAX_RETRY_DELAY_MS, retryDelayMs * 2);
  }
  function handleLost(): void {
    connection = undefined;
    if (isClosed) return;
    reason = DISCONNECTED_MESSAGE;
    state = { sessions: [], outputs: [] };
    for (const listener of changeListeners) listener(state);
    useTracker.update([]);
    setAble(false);
    retryLater();
  }
  /** Opens a connection to the first sound server that answers. */
  async function openConnection(): Promise<PulseConnection | undefined> {
    const cookie = await readPulseCookie(env);
    for (const path of listSocketPaths(env)) {
      const opened = await openPulseConnection({ path, cookie, onEvent: readSoon, onLost: () => handleLost() }).catch(
        () => undefined, // no sound server on this socket
      );
      if (opened) return opened;
    }
    return undefined;
  }
  async function connect(): Promise<void> {
    const opened = await openConnection();
    if (isClosed) return opened?.close();
    if (!opened) return retryLater();
    connection = opened;
    await read();
    if (connection !== opened) return;
    retryDelayMs = MIN_RETRY_DELAY_MS;
    setAble(true);
  }
  const firstConnect = connect();

  const kinds: Readonly<Record<AudioGroup, VoiceKind>> = { sessions: 'stream', outputs: 'output' };
  return {
    get ability(): Ability {
      return isAble ? { able: true } : { able: false, reason };
    },
    getState: () => state,
    set: async (group, name, { level, muted }) => {
      const to = { level: Math.round(level), muted };
      if (!(to.level >= 0 && to.level <= 100)) return false;
      const selected = [...voices.values()].filter((voice) => voice.kind === kinds[group] && voice.name === name);
      if (!connection || selected.length === 0) return false;
      if (group === 'sessions') levels.set(name, to);
      return setVoices(selected, to);
    },
    onChange: (listener) => void changeListeners.push(listener),
    onAbilityChange: (listener) => void abilityListeners.push(listener),
    listUses: useTracker.list,
    onUseChange: useTracker.onChange,
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      for (const timer of Object.values(timers)) clearTimeout(timer);
      connection?.close();
      await firstConnect;
      levels.flush();
    },
  };
}
