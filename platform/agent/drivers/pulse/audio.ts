import type { Ability, AudioDriver, AudioGroup, AudioLevel, AudioState } from '../drivers.ts';
import { cookieOf, socketPaths } from './address.ts';
import { colourOf } from './colour.ts';
import { openConnection, type Heard, type PulseConnection, type Voice, type VoiceKind } from './connection.ts';
import { ECHO_MS, isSameLevel, makeEchoes } from './echoes.ts';
import { openLevels, type Level } from './memory.ts';
import { deviceName, iconOf, isEventSound, outputNames, sessionName } from './naming.ts';
import { makeUses } from './uses.ts';
import { atLevel, balanceOf, isSameVolume, levelOf, type Channels } from './volume.ts';

const GATHER_MS = 5;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5000;
const SETTLING_MS = 1000;
const NOT_FOUND = 'No sound server was found on that computer';
const WENT_AWAY = 'The sound server of that computer went away; it is looked for again';

export interface AudioOptions {
  /** Says where the sound server is: PULSE_SERVER, XDG_RUNTIME_DIR, HOME. */
  readonly env: NodeJS.ProcessEnv;
  readonly stateDir: string;
  /** So long an application, or the desktop's session manager, may still set a new stream to what it thinks right. */
  readonly settlingMs?: number;
}

export interface LiveAudio extends AudioDriver, AsyncDisposable {
  /** The sound server came or went. */
  readonly onAbility: (then: () => void) => void;
}

/** A stream or an output as it is known. */
interface Known extends Level {
  readonly kind: VoiceKind;
  readonly index: number;
  readonly name: string;
  readonly colour: string;
  /** Of the default output alone. */
  readonly device: string | undefined;
  readonly volume: Channels;
  readonly balance: Channels | undefined;
  /** What we set last, to know our own rounding again. */
  readonly sent: Channels | undefined;
  /** When it was first heard. */
  readonly since: number;
}

type Spoken = Pick<Known, 'kind' | 'name' | 'colour' | 'device'> & { readonly voice: Voice };

const keyOf = (kind: VoiceKind, index: number): string => `${kind} ${index}`;

/** The streams that have a slider and the outputs, the default one first, each with its name. */
const spokenIn = ({ streams, outputs }: Heard): readonly Spoken[] => {
  const sorted = outputs.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));
  const names = outputNames(sorted);
  return [
    ...sorted.map((voice, at): Spoken => {
      const name = names[at] ?? voice.description;
      const device = voice.isDefault ? deviceName(voice.description) : undefined;
      return { kind: 'output', name, colour: colourOf(name), device, voice };
    }),
    ...streams
      .filter((voice) => !isEventSound(voice))
      .map((voice): Spoken => {
        const name = sessionName(voice);
        return { kind: 'stream', name, colour: colourOf(iconOf(voice) ?? name), device: undefined, voice };
      }),
  ];
};

/** Streams of one name are one slider: the loudest level, muted where all are. */
const sessionsOf = (voices: Iterable<Known>): readonly AudioLevel[] => {
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

const stateOf = (voices: Iterable<Known>): AudioState => {
  const all = [...voices];
  return {
    sessions: sessionsOf(all),
    outputs: all.flatMap(({ kind, name, level, muted, colour, device }) =>
      kind === 'output' ? [{ name, level, muted, colour, ...(device === undefined ? {} : { device }) }] : [],
    ),
  };
};

/** The sound of this computer, by PulseAudio's protocol, which PipeWire speaks too. It comes and goes with the sound server. */
export const openAudio = ({ env, stateDir, settlingMs = SETTLING_MS }: AudioOptions): LiveAudio => {
  const levels = openLevels(stateDir);
  const echoes = makeEchoes(() => performance.now());
  const whenChanged: ((state: AudioState) => void)[] = [];
  const whenAble: (() => void)[] = [];
  const used = makeUses();
  let connection: PulseConnection | undefined;
  let server: number | undefined;
  let voices = new Map<string, Known>();
  let state: AudioState = { sessions: [], outputs: [] };
  let reason = NOT_FOUND;
  let retry = FIRST_RETRY_MS;
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
  const heardAgain = ({ voice, ...spoken }: Spoken, before: Known | undefined): Known => {
    const { kind } = spoken;
    const { index, volume } = voice;
    const heard = { level: levelOf(volume), muted: voice.muted };
    const { level, muted } = before ? echoes.resolve(keyOf(kind, index), heard) : heard;
    const isOwn = before?.sent !== undefined && isSameVolume(before.sent, volume);
    const balance = isOwn ? before.balance : (balanceOf(volume) ?? before?.balance);
    const since = before?.since ?? performance.now();
    return { ...spoken, index, level, muted, volume, balance, since, sent: isOwn ? before.sent : undefined };
  };

  const setVoice = async (known: Known, to: Level): Promise<boolean> => {
    const key = keyOf(known.kind, known.index);
    const volume = atLevel(known.volume, known.balance, to.level);
    if (!connection) return false;
    echoes.set(key, known, to);
    voices.set(key, { ...known, ...to, sent: volume });
    const done = await Promise.allSettled([
      connection.setVolume(known.kind, known.index, volume),
      connection.setMuted(known.kind, known.index, to.muted),
    ]);
    const isDone = done.every(({ status }) => status === 'fulfilled');
    if (isDone) echoes.answered(key);
    // It has vanished, or is none that can be set: what is heard counts.
    else echoes.forget(key);
    return isDone;
  };
  /** Sets all of them, and looks again once no echo is to be heard any more: what is there then is the truth. */
  const setVoices = async (chosen: readonly Known[], to: Level): Promise<boolean> => {
    const done = await Promise.all(chosen.map((known) => setVoice(known, to)));
    clearTimeout(timers.look);
    if (!isClosed) timers.look = setTimeout(readSoon, ECHO_MS);
    publish();
    return done.includes(true);
  };

  /** Somebody other than us has set it, and not only just begun to play it: what we were told before does not count any more. */
  const isOverruled = (before: Known | undefined, now: Known): boolean =>
    before !== undefined && !isSameLevel(before, now) && performance.now() - before.since > settlingMs;

  const take = (heard: Heard, isSameRun: boolean): void => {
    const before = isSameRun ? voices : new Map<string, Known>();
    const isFirst = server === undefined;
    if (!isSameRun) echoes.clear();
    used.take(heard.used);
    voices = new Map();
    const fresh: Known[] = [];
    for (const spoken of spokenIn(heard)) {
      const key = keyOf(spoken.kind, spoken.voice.index);
      const now = heardAgain(spoken, before.get(key));
      voices.set(key, now);
      if (now.kind !== 'stream') continue;
      if (isOverruled(before.get(key), now)) levels.forget(now.name);
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
    }, GATHER_MS);
  };

  const beAble = (now: boolean): void => {
    if (isAble === now) return;
    isAble = now;
    for (const then of whenAble) then();
  };
  const lookLater = (): void => {
    if (isClosed) return;
    timers.again = setTimeout(() => void look(), retry);
    retry = Math.min(LONGEST_RETRY_MS, retry * 2);
  };
  const lost = (): void => {
    connection = undefined;
    if (isClosed) return;
    reason = WENT_AWAY;
    const silent = { sessions: [], outputs: [] };
    state = silent;
    for (const then of whenChanged) then(silent);
    used.take([]);
    beAble(false);
    lookLater();
  };
  const openFirst = async (): Promise<PulseConnection | undefined> => {
    const cookie = await cookieOf(env);
    for (const path of socketPaths(env)) {
      const found = await openConnection({ path, cookie, onEvent: readSoon, onLost: () => lost() }).catch(
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
    retry = FIRST_RETRY_MS;
    beAble(true);
  };
  const begun = look();

  const ability = (): Ability => (isAble ? { able: true } : { able: false, reason });
  const kinds: Readonly<Record<AudioGroup, VoiceKind>> = { sessions: 'stream', outputs: 'output' };
  return {
    get ability() {
      return ability();
    },
    state: () => state,
    set: async (group, name, { level, muted }) => {
      const to = { level: Math.round(level), muted };
      if (!(to.level >= 0 && to.level <= 100)) return false;
      const chosen = [...voices.values()].filter((one) => one.kind === kinds[group] && one.name === name);
      if (!connection || chosen.length === 0) return false;
      if (group === 'sessions') levels.keep(name, to);
      return setVoices(chosen, to);
    },
    onChange: (then) => void whenChanged.push(then),
    onAbility: (then) => void whenAble.push(then),
    uses: used.uses,
    onUse: used.onUse,
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      for (const timer of Object.values(timers)) clearTimeout(timer);
      connection?.close();
      await begun;
      levels.close();
    },
  };
};
