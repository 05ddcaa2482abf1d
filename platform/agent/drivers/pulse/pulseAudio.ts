import type { Ability, AudioDriver, AudioGroup, AudioLevel, AudioState, SoundUse } from '../drivers.ts';
import { listAncestors, getProgramName } from '../processes.ts';
import { ECHO_WINDOW_MS, isSameLevel, createEchoFilter } from './echoes.ts';
import {
  openLevelStore,
  type VolumeLevel,
  setLevel,
  getBalance,
  isSameVolume,
  toLevel,
  type ChannelVolumes,
} from './levelMemory.ts';
import {
  readPulseCookie,
  listSocketPaths,
  openPulseConnection,
  type AudioSnapshot,
  type PulseConnection,
  type Voice,
  type VoiceKind,
  type AudioStreamInfo,
} from './pulseConnection.ts';
import {
  hashToColour,
  formatDeviceName,
  getIconName,
  isEventSound,
  nameOutputs,
  getSessionName,
} from './sessionLabels.ts';

/** What the desktop's own mixer listens with to show how loud things are. */
const METER = 'Peak detect';

/** PipeWire knows the process behind a sandbox itself; what the client says of itself is its number in there. */
const pidOf = ({ properties }: AudioStreamInfo): number | undefined => {
  const pid = Number(properties['pipewire.sec.pid'] ?? properties['application.process.id']);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
};

const useOf = (stream: AudioStreamInfo): SoundUse => {
  const pid = pidOf(stream);
  return {
    kind: stream.kind,
    session: getSessionName(stream),
    lineage: listAncestors(pid),
    program: getProgramName(pid),
  };
};

const isKept = (stream: AudioStreamInfo): boolean =>
  !stream.corked && !isEventSound(stream) && stream.properties['media.name'] !== METER;

/** Keeps who plays and who records; a stream's process is looked up once. */
export function createSoundUseTracker() {
  const listeners: (() => void)[] = [];
  let known = new Map<string, SoundUse>();
  return {
    take: (streams: readonly AudioStreamInfo[]): void => {
      const before = known;
      known = new Map(
        streams.filter(isKept).map((stream) => {
          const key = `${stream.kind} ${stream.index}`;
          return [key, before.get(key) ?? useOf(stream)];
        }),
      );
      if (known.size === before.size && [...known.keys()].every((key) => before.has(key))) return;
      for (const then of listeners) then();
    },
    uses: (): readonly SoundUse[] => [...known.values()],
    onUse: (then: () => void): void => void listeners.push(then),
  };
}

const DEBOUNCE_MS = 5;
const MIN_RETRY_DELAY_MS = 250;
const MAX_RETRY_DELAY_MS = 5000;
const SETTLING_MS = 1000;
const NOT_FOUND_MESSAGE = 'No sound server was found on that computer';
const DISCONNECTED_MESSAGE = 'The sound server of that computer went away; it is looked for again';

export interface AudioOptions {
  /** Says where the sound server is: PULSE_SERVER, XDG_RUNTIME_DIR, HOME. */
  readonly env: NodeJS.ProcessEnv;
  readonly stateDir: string;
  /** So long an application, or the desktop's session manager, may still set a new stream to what it thinks right. */
  readonly settlingMs?: number;
}

export interface PulseAudioDriver extends AudioDriver, AsyncDisposable {
  /** The sound server came or went. */
  readonly onAbilityChange: (then: () => void) => void;
}

/** A stream or an output as it is known. */
interface KnownVoice extends VolumeLevel {
  readonly kind: VoiceKind;
  readonly index: number;
  readonly name: string;
  readonly colour: string;
  /** Of the default output alone. */
  readonly device: string | undefined;
  readonly volume: ChannelVolumes;
  readonly balance: ChannelVolumes | undefined;
  /** What we set last, to know our own rounding again. */
  readonly sent: ChannelVolumes | undefined;
  /** When it was first heard. */
  readonly firstSeenAt: number;
}

type NamedVoice = Pick<KnownVoice, 'kind' | 'name' | 'colour' | 'device'> & { readonly voice: Voice };

const keyOf = (kind: VoiceKind, index: number): string => `${kind} ${index}`;

/** The streams that have a slider and the outputs, the default one first, each with its name. */
const spokenIn = ({ streams, outputs }: AudioSnapshot): readonly NamedVoice[] => {
  const sorted = outputs.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));
  const names = nameOutputs(sorted);
  return [
    ...sorted.map((voice, at): NamedVoice => {
      const name = names[at] ?? voice.description;
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
};

/** Streams of one name are one slider: the loudest level, muted where all are. */
const sessionsOf = (voices: Iterable<KnownVoice>): readonly AudioLevel[] => {
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
};

const stateOf = (voices: Iterable<KnownVoice>): AudioState => {
  const all = [...voices];
  return {
    sessions: sessionsOf(all),
    outputs: all.flatMap(({ kind, name, level, muted, colour, device }) =>
      kind === 'output' ? [{ name, level, muted, colour, ...(device === undefined ? {} : { device }) }] : [],
    ),
  };
};

/** The sound of this computer, by PulseAudio's protocol, which PipeWire speaks too. It comes and goes with the sound server. */
export function openPulseAudio({ env, stateDir, settlingMs = SETTLING_MS }: AudioOptions): PulseAudioDriver {
  const levels = openLevelStore(stateDir);
  const echoes = createEchoFilter(() => performance.now());
  const whenChanged: ((state: AudioState) => void)[] = [];
  const whenAble: (() => void)[] = [];
  const used = createSoundUseTracker();
  let connection: PulseConnection | undefined;
  let server: number | undefined;
  let voices = new Map<string, KnownVoice>();
  let state: AudioState = { sessions: [], outputs: [] };
  let reason = NOT_FOUND_MESSAGE;
  let retry = MIN_RETRY_DELAY_MS;
  /** Connected, and heard once. */
  let isAble = false;
  let isClosed = false;
  let isReading = false;
  let isStale = false;
  const timers: { again?: NodeJS.Timeout; gather?: NodeJS.Timeout | undefined; look?: NodeJS.Timeout } = {};

  const publish = (): void => {
    const next = stateOf(voices.values());
    if (JSON.stringify(next) === JSON.stringify(state)) return;
    state = next;
    for (const then of whenChanged) then(state);
  };

  /** What is known of a voice now that it was heard again. */
  const heardAgain = ({ voice, ...spoken }: NamedVoice, before: KnownVoice | undefined): KnownVoice => {
    const { kind } = spoken;
    const { index, volume } = voice;
    const heard = { level: toLevel(volume), muted: voice.muted };
    const { level, muted } = before ? echoes.resolve(keyOf(kind, index), heard) : heard;
    const isOwn = before?.sent !== undefined && isSameVolume(before.sent, volume);
    const balance = isOwn ? before.balance : (getBalance(volume) ?? before?.balance);
    const since = before?.firstSeenAt ?? performance.now();
    return {
      ...spoken,
      index,
      level,
      muted,
      volume,
      balance,
      firstSeenAt: since,
      sent: isOwn ? before.sent : undefined,
    };
  };

  const setVoice = async (known: KnownVoice, to: VolumeLevel): Promise<boolean> => {
    const key = keyOf(known.kind, known.index);
    const volume = setLevel(known.volume, known.balance, to.level);
    if (!connection) return false;
    echoes.recordChange(key, known, to);
    voices.set(key, { ...known, ...to, sent: volume });
    const done = await Promise.allSettled([
      connection.setVolume(known.kind, known.index, volume),
      connection.setMuted(known.kind, known.index, to.muted),
    ]);
    const isDone = done.every(({ status }) => status === 'fulfilled');
    if (isDone) echoes.onAcknowledged(key);
    // It has vanished, or is none that can be set: what is heard counts.
    else echoes.remove(key);
    return isDone;
  };
  /** Sets all of them, and looks again once no echo is to be heard any more: what is there then is the truth. */
  const setVoices = async (chosen: readonly KnownVoice[], to: VolumeLevel): Promise<boolean> => {
    const done = await Promise.all(chosen.map((known) => setVoice(known, to)));
    clearTimeout(timers.look);
    if (!isClosed) timers.look = setTimeout(readSoon, ECHO_WINDOW_MS);
    publish();
    return done.includes(true);
  };

  /** Somebody other than us has set it, and not only just begun to play it: what we were told before does not count any more. */
  const isOverruled = (before: KnownVoice | undefined, now: KnownVoice): boolean =>
    before !== undefined && !isSameLevel(before, now) && performance.now() - before.firstSeenAt > settlingMs;

  const take = (heard: AudioSnapshot, isSameRun: boolean): void => {
    const before = isSameRun ? voices : new Map<string, KnownVoice>();
    const isFirst = server === undefined;
    if (!isSameRun) echoes.clear();
    used.take(heard.used);
    voices = new Map();
    const fresh: KnownVoice[] = [];
    for (const spoken of spokenIn(heard)) {
      const key = keyOf(spoken.kind, spoken.voice.index);
      const now = heardAgain(spoken, before.get(key));
      voices.set(key, now);
      if (now.kind !== 'stream') continue;
      if (isOverruled(before.get(key), now)) levels.remove(now.name);
      if (!before.has(key) && !isFirst) fresh.push(now);
    }
    publish();
    for (const known of fresh) {
      const wanted = levels.get(known.name);
      if (wanted && !isSameLevel(known, wanted)) void setVoices([known], wanted);
    }
  };

  const read = async (): Promise<void> => {
    const asked = connection;
    if (!asked || isReading) {
      isStale = isReading;
      return;
    }
    isReading = true;
    try {
      const heard = await asked.read();
      if (asked !== connection) return;
      const run = asked.server;
      take(heard, server === undefined || server === run);
      server = run;
    } catch {
      // Either it is over, and then `onLost` follows, or it speaks in a way that nothing is to be made of.
      asked.close();
      if (asked === connection) lost();
    } finally {
      isReading = false;
    }
    if (isStale) {
      isStale = false;
      await read();
    }
  };
  const readSoon = (): void => {
    timers.gather ??= setTimeout(() => {
      timers.gather = undefined;
      void read();
    }, DEBOUNCE_MS);
  };

  const beAble = (now: boolean): void => {
    if (isAble === now) return;
    isAble = now;
    for (const then of whenAble) then();
  };
  const lookLater = (): void => {
    if (isClosed) return;
    timers.again = setTimeout(() => void look(), retry);
    retry = Math.min(MAX_RETRY_DELAY_MS, retry * 2);
  };
  const lost = (): void => {
    connection = undefined;
    if (isClosed) return;
    reason = DISCONNECTED_MESSAGE;
    const silent = { sessions: [], outputs: [] };
    state = silent;
    for (const then of whenChanged) then(silent);
    used.take([]);
    beAble(false);
    lookLater();
  };
  const openFirst = async (): Promise<PulseConnection | undefined> => {
    const cookie = await readPulseCookie(env);
    for (const path of listSocketPaths(env)) {
      const found = await openPulseConnection({ path, cookie, onEvent: readSoon, onLost: () => lost() }).catch(
        () => undefined, // nobody there
      );
      if (found) return found;
    }
    return undefined;
  };
  const look = async (): Promise<void> => {
    const found = await openFirst();
    if (isClosed) return found?.close();
    if (!found) return lookLater();
    connection = found;
    await read();
    if (connection !== found) return;
    retry = MIN_RETRY_DELAY_MS;
    beAble(true);
  };
  const begun = look();

  const ability = (): Ability => (isAble ? { able: true } : { able: false, reason });
  const kinds: Readonly<Record<AudioGroup, VoiceKind>> = { sessions: 'stream', outputs: 'output' };
  return {
    get ability() {
      return ability();
    },
    getState: () => state,
    set: async (group, name, { level, muted }) => {
      const to = { level: Math.round(level), muted };
      if (!(to.level >= 0 && to.level <= 100)) return false;
      const chosen = [...voices.values()].filter((one) => one.kind === kinds[group] && one.name === name);
      if (!connection || chosen.length === 0) return false;
      if (group === 'sessions') levels.set(name, to);
      return setVoices(chosen, to);
    },
    onChange: (then) => void whenChanged.push(then),
    onAbilityChange: (then) => void whenAble.push(then),
    listUses: used.uses,
    onUseChange: used.onUse,
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      for (const timer of Object.values(timers)) clearTimeout(timer);
      connection?.close();
      await begun;
      levels.flush();
    },
  };
}
