import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';

const COOKIE_BYTES = 256;
/** What a sound server that knows us by our user takes in place of a cookie. */
const NO_COOKIE = Buffer.alloc(COOKIE_BYTES);

/**
 * Where the sound servers listen that the environment names, the likeliest first: `PULSE_SERVER` (of its servers those on a socket
 * of this computer), else the user's own.
 */
export function listSocketPaths(env: NodeJS.ProcessEnv): readonly string[] {
  const named = env['PULSE_SERVER'];
  if (named)
    return named.split(/\s+/).flatMap((one) => {
      const path = one.replace(/^\{[^}]*\}/, '').replace(/^unix:/, '');
      return path.startsWith('/') ? [path] : [];
    });
  const own = env['PULSE_RUNTIME_PATH'];
  if (own) return [join(own, 'native')];
  const runtime = env['XDG_RUNTIME_DIR'];
  return runtime ? [join(runtime, 'pulse', 'native')] : [];
}

const readCookie = async (path: string): Promise<Buffer | undefined> => {
  try {
    const read = await readFile(path);
    return read.length === COOKIE_BYTES ? read : undefined;
  } catch {
    return undefined; // no cookie there, which is usual with PipeWire
  }
};

/** What proves us to the sound server. */
export async function readPulseCookie(env: NodeJS.ProcessEnv): Promise<Buffer> {
  const home = env['HOME'];
  const path = env['PULSE_COOKIE'] ?? (home ? join(home, '.config/pulse/cookie') : undefined);
  return (path === undefined ? undefined : await readCookie(path)) ?? NO_COOKIE;
}

/** 100 %. */
export const FULL_VOLUME = 65_536;
/** Of a stream that is not on any output (yet): PipeWire lists it before it knows its volume. */
const NO_OUTPUT = 0xffff_ffff;
/** A sound server that does not answer by then is none. */
const CONNECT_TIMEOUT_MS = 5000;

const volume = z.array(z.number());
/** As the driver of the protocol gives them once `inflate` is out of the way: flat, 'application.name'. */
const properties = z.record(z.string(), z.string());

const inputs = z.array(
  z.object({
    index: z.number(),
    sink: z.number(),
    name: z.nullable(z.string()),
    volume,
    muted: z.boolean(),
    hasVolume: z.boolean(),
    corked: z.boolean(),
    properties,
  }),
);
const listeners = z.array(z.object({ index: z.number(), corked: z.boolean(), properties }));
const sinks = z.array(
  z.object({
    index: z.number(),
    name: z.nullable(z.string()),
    description: z.nullable(z.string()),
    volume: z.object({ current: volume }),
    mute: z.boolean(),
    properties,
  }),
);

/** A stream of an application, or an output. */
export interface Voice {
  readonly index: number;
  /** Per channel, 0 to 65536 for 0 to 100 %, and above. */
  readonly volume: readonly number[];
  readonly muted: boolean;
  readonly properties: Readonly<Record<string, string>>;
}
export interface Output extends Voice {
  readonly description: string;
  readonly isDefault: boolean;
}
/** Something that plays or records, or only could (corked). */
export interface AudioStreamInfo {
  readonly index: number;
  readonly kind: 'playing' | 'recording';
  readonly corked: boolean;
  readonly properties: Readonly<Record<string, string>>;
}
export interface AudioSnapshot {
  /** Those that have a volume. */
  readonly streams: readonly Voice[];
  readonly outputs: readonly Output[];
  readonly used: readonly AudioStreamInfo[];
}
export type VoiceKind = 'stream' | 'output';

/** One connection to a sound server that speaks PulseAudio's protocol. It is never made again: whoever lost it opens another. */
export interface PulseConnection {
  /** Tells one run of a sound server from the next. */
  readonly server: number;
  readonly read: () => Promise<AudioSnapshot>;
  readonly setVolume: (kind: VoiceKind, index: number, volume: readonly number[]) => Promise<void>;
  readonly setMuted: (kind: VoiceKind, index: number, muted: boolean) => Promise<void>;
  readonly close: () => void;
}

export interface ConnectionOptions {
  readonly path: string;
  readonly cookie: Buffer;
  /** Some stream or output came, went or changed. */
  readonly onEvent: () => void;
  /** Runs once, when an open connection is over. */
  readonly onLost: () => void;
}

/**
 * The library turns properties into a tree, and writes through a name such as `__proto__.x`, which any program that plays something may
 * send, into what all objects have. Flat ones are what is wanted anyway.
 */
const loadLibrary = async () => {
  const [pulse, event, props] = await Promise.all([
    import('pulseaudio.js'),
    import('pulseaudio.js/dist/event.js'),
    import('pulseaudio.js/dist/props.js'),
  ]);
  const library = props.default as { inflate: (flat: object) => object };
  library.inflate = (flat) => ({ ...flat });
  return { PulseAudio: pulse.default.PulseAudio, mask: event.default.PA_SUBSCRIPTION_MASK };
};
let library: ReturnType<typeof loadLibrary> | undefined;

/** @throws where nobody answers there, or not in time. */
export async function openPulseConnection(options: ConnectionOptions): Promise<PulseConnection> {
  const { PulseAudio, mask } = await (library ??= loadLibrary());
  const self = { name: 'Pegboard', process: { id: String(process.pid), binary: 'pegboard-agent' } };
  const client = new PulseAudio(self, options.cookie, options.path);
  // Otherwise it asks for every kind of event by itself, in a promise that nobody catches.
  client.eventName = /(?!)/;
  let isOpen = false;
  let isOver = false;
  const close = (): void => {
    isOver = true;
    client.sock?.destroy();
  };
  // After any error the stream of packets may be out of step, so the connection is of no more use.
  client.on('error', () => {
    const wasOpen = isOpen && !isOver;
    close();
    if (wasOpen) options.onLost();
  });
  client.on('event', options.onEvent);

  const begin = async (): Promise<number> => {
    await client.connect();
    await client._subscribe(mask.SINK | mask.SINK_INPUT | mask.SOURCE_OUTPUT | mask.SERVER);
    const { cookie } = await client.getServerInfo();
    return cookie;
  };
  const patience = setTimeout(close, CONNECT_TIMEOUT_MS);
  try {
    const server = await begin();
    isOpen = true;
    return {
      server,
      close,
      read: async () => {
        const [info, streams, outputs, recorders] = await Promise.all([
          client.getServerInfo(),
          client.getSinkInputList(),
          client.getAllSinks(),
          client.getSourceOutputList(),
        ]);
        const placed = inputs.parse(streams).filter(({ sink }) => sink !== NO_OUTPUT);
        return {
          streams: placed.filter(({ hasVolume }) => hasVolume),
          used: [
            ...placed.map((one): AudioStreamInfo => ({ ...one, kind: 'playing' })),
            ...listeners.parse(recorders).map((one): AudioStreamInfo => ({ ...one, kind: 'recording' })),
          ],
          outputs: sinks.parse(outputs).map(({ index, name, description, volume: { current }, mute, ...rest }) => ({
            index,
            volume: current,
            muted: mute,
            properties: rest.properties,
            description: description ?? name ?? '',
            isDefault: name === info.defaultSink,
          })),
        };
      },
      setVolume: async (kind, index, to) =>
        kind === 'stream' ? client.setSinkInputVolume(index, [...to]) : client.setSinkVolume([...to], index),
      setMuted: async (kind, index, to) =>
        kind === 'stream' ? client.setSinkInputMute(index, to) : client.setSinkMute(to, index),
    };
  } catch (error) {
    close();
    throw error;
  } finally {
    clearTimeout(patience);
  }
}
