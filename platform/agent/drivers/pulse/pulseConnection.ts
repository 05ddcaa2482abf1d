import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';

const COOKIE_BYTES = 256;
/** Sent if there is no cookie: the sound server then knows us by our user. */
const NO_COOKIE = Buffer.alloc(COOKIE_BYTES);

/**
 * Lists the sockets of the sound servers that the environment names, most likely first: the local ones of
 * `PULSE_SERVER`, or else the user's own.
 */
export function listSocketPaths(env: NodeJS.ProcessEnv): readonly string[] {
  const serverList = env['PULSE_SERVER'];
  if (serverList)
    return serverList.split(/\s+/).flatMap((server) => {
      const path = server.replace(/^\{[^}]*\}/, '').replace(/^unix:/, '');
      return path.startsWith('/') ? [path] : [];
    });
  const runtimePath = env['PULSE_RUNTIME_PATH'];
  if (runtimePath) return [join(runtimePath, 'native')];
  const runtimeDir = env['XDG_RUNTIME_DIR'];
  return runtimeDir ? [join(runtimeDir, 'pulse', 'native')] : [];
}

async function readCookie(path: string): Promise<Buffer | undefined> {
  try {
    const cookie = await readFile(path);
    return cookie.length === COOKIE_BYTES ? cookie : undefined;
  } catch {
    return undefined; // there is no cookie, which is usual with PipeWire
  }
}

/** Reads the cookie that authenticates us to the sound server. */
export async function readPulseCookie(env: NodeJS.ProcessEnv): Promise<Buffer> {
  const home = env['HOME'];
  const path = env['PULSE_COOKIE'] ?? (home ? join(home, '.config/pulse/cookie') : undefined);
  return (path === undefined ? undefined : await readCookie(path)) ?? NO_COOKIE;
}

/** The volume at 100 %. */
export const FULL_VOLUME = 65_536;
/** A stream that is on no output (yet): PipeWire lists it before it knows its volume. */
const NO_OUTPUT = 0xffff_ffff;
/** A sound server that does not answer within this time counts as missing. */
const CONNECT_TIMEOUT_MS = 5000;

const volume = z.array(z.number());
/** Flat properties such as 'application.name', as the library returns them once `inflate` is replaced. */
const properties = z.record(z.string(), z.string());

const sinkInputs = z.array(
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
const sourceOutputs = z.array(z.object({ index: z.number(), corked: z.boolean(), properties }));
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
  /** Per channel: 0 to 65536 for 0 to 100 %, more for louder than 100 %. */
  readonly volume: readonly number[];
  readonly muted: boolean;
  readonly properties: Readonly<Record<string, string>>;
}
export interface Output extends Voice {
  readonly description: string;
  readonly isDefault: boolean;
}
/** A stream that plays or records, or is paused (corked). */
export interface AudioStreamInfo {
  readonly index: number;
  readonly kind: 'playing' | 'recording';
  readonly corked: boolean;
  readonly properties: Readonly<Record<string, string>>;
}
export interface AudioSnapshot {
  /** Streams with a volume. */
  readonly streams: readonly Voice[];
  readonly outputs: readonly Output[];
  readonly used: readonly AudioStreamInfo[];
}
export type VoiceKind = 'stream' | 'output';

/**
 * One connection to a sound server that speaks PulseAudio's protocol. It does not reconnect: open a new one instead.
 */
export interface PulseConnection {
  /** Differs between two runs of a sound server. */
  readonly server: number;
  readonly read: () => Promise<AudioSnapshot>;
  readonly setVolume: (kind: VoiceKind, index: number, volume: readonly number[]) => Promise<void>;
  readonly setMuted: (kind: VoiceKind, index: number, muted: boolean) => Promise<void>;
  readonly close: () => void;
}

export interface ConnectionOptions {
  readonly path: string;
  readonly cookie: Buffer;
  /** Called when a stream or an output appeared, disappeared or changed. */
  readonly onEvent: () => void;
  /** Called once, when an open connection is lost. */
  readonly onLost: () => void;
}

/**
 * Loads the library without its `inflate`, which turns properties into a tree. Any program that plays sound could send
 * a name such as `__proto__.x`, and `inflate` would write to the prototype of all objects.
 */
async function loadLibrary() {
  const [pulse, event, props] = await Promise.all([
    import('pulseaudio.js'),
    import('pulseaudio.js/dist/event.js'),
    import('pulseaudio.js/dist/props.js'),
  ]);
  const library = props.default as { inflate: (flat: object) => object };
  library.inflate = (flat) => ({ ...flat });
  return { PulseAudio: pulse.default.PulseAudio, mask: event.default.PA_SUBSCRIPTION_MASK };
}
let library: ReturnType<typeof loadLibrary> | undefined;

/**
 * Opens a connection.
 * @throws if no sound server answers in time.
 */
export async function openPulseConnection(options: ConnectionOptions): Promise<PulseConnection> {
  const { PulseAudio, mask } = await (library ??= loadLibrary());
  const clientInfo = { name: 'Pegboard', process: { id: String(process.pid), binary: 'pegboard-agent' } };
  const client = new PulseAudio(clientInfo, options.cookie, options.path);
  // Otherwise the library subscribes to all events itself, in a promise whose rejection is not handled.
  client.eventName = /(?!)/;
  let isOpen = false;
  let isClosed = false;
  function close(): void {
    isClosed = true;
    client.sock?.destroy();
  }
  // After any error the packet stream may be out of sync, so the connection is unusable.
  client.on('error', () => {
    const wasOpen = isOpen && !isClosed;
    close();
    if (wasOpen) options.onLost();
  });
  client.on('event', options.onEvent);

  async function subscribe(): Promise<number> {
    await client.connect();
    await client._subscribe(mask.SINK | mask.SINK_INPUT | mask.SOURCE_OUTPUT | mask.SERVER);
    const { cookie } = await client.getServerInfo();
    return cookie;
  }
  const timeout = setTimeout(close, CONNECT_TIMEOUT_MS);
  try {
    const server = await subscribe();
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
        const playing = sinkInputs.parse(streams).filter(({ sink }) => sink !== NO_OUTPUT);
        return {
          streams: playing.filter(({ hasVolume }) => hasVolume),
          used: [
            ...playing.map((one): AudioStreamInfo => ({ ...one, kind: 'playing' })),
            ...sourceOutputs.parse(recorders).map((one): AudioStreamInfo => ({ ...one, kind: 'recording' })),
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
    clearTimeout(timeout);
  }
}
