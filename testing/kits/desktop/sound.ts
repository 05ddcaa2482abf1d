import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getSkipReason } from '#testing/machine.ts';
import { waitFor } from './desktop.ts';

export type SoundServer = 'pulseaudio' | 'pipewire';
export const soundServers: readonly SoundServer[] = ['pulseaudio', 'pipewire'];

/** Returns why this sound server can't run here; undefined if it can. */
export function getSoundSkipReason(server: SoundServer): string | undefined {
  return server === 'pulseaudio'
    ? getSkipReason('pulseaudio', 'pacat', 'pactl', 'ffmpeg')
    : getSkipReason('pipewire', 'pipewire-pulse', 'wireplumber', 'dbus-run-session', 'pacat', 'pactl', 'ffmpeg');
}

/** A stream, as another client of the sound server sees it. */
export interface StreamInfo {
  readonly index: number;
  /** Per channel, 0 to 65536 for 0 to 100 %. */
  readonly volume: readonly number[];
  readonly muted: boolean;
}

export interface PlayOptions {
  /** Properties of the stream, such as 'media.role'. */
  readonly properties?: Readonly<Record<string, string>>;
  /** 0 to 65536. */
  readonly volume?: number;
}

const createPacatArguments = (name: string, { properties = {}, volume }: PlayOptions): readonly string[] => [
  '--playback',
  '--latency-msec=100',
  `--client-name=${name}`,
  // PipeWire's session manager would restore what an earlier test had set.
  '--property=state.restore-props=false',
  ...Object.entries(properties).map(([key, value]) => `--property=${key}=${value}`),
  ...(volume === undefined ? [] : [`--volume=${volume}`]),
  '/dev/zero',
];
const createFfmpegArguments = (name: string): readonly string[] => [
  '-loglevel',
  'error',
  '-nostdin',
  '-re',
  '-f',
  'lavfi',
  '-i',
  'sine=440',
  '-f',
  'pulse',
  '-name',
  name,
  'out',
];

export interface TestStream extends AsyncDisposable {
  readonly index: number;
  readonly getInfo: () => Promise<StreamInfo>;
}

/** A separate sound server with two silent outputs: 'Speakers', the default, and 'Headset'. */
export interface TestSoundServer extends AsyncDisposable {
  /** Environment variables with the address of the sound server. */
  readonly env: NodeJS.ProcessEnv;
  /** Starts an application that plays silence. */
  readonly playSilence: (name: string, options?: PlayOptions) => Promise<TestStream>;
  /** Starts an application that records. */
  readonly record: (name: string) => Promise<AsyncDisposable>;
  /** Starts ffmpeg, which plays a tone. */
  readonly playFilm: (name: string) => Promise<TestStream>;
  /** Returns all streams. */
  readonly listStreams: () => Promise<readonly StreamInfo[]>;
  /** Runs `pactl` with these arguments; returns its output. */
  readonly runPactl: (...args: readonly string[]) => Promise<string>;
  /** Kills the server and everything that plays. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
}

const run = promisify(execFile);

const outputs = ['Speakers', 'Headset'].map((name) => [
  'module-null-sink',
  `sink_name=${name.toLowerCase()}`,
  `sink_properties=device.description=${name}`,
]);

function spawnServer(server: SoundServer, env: NodeJS.ProcessEnv, folder: string): ChildProcess {
  const options = { env, stdio: 'ignore', detached: true } as const;
  if (server === 'pulseaudio') {
    const modules = [...outputs, ['module-native-protocol-unix', 'auth-anonymous=1']].flatMap((args) => [
      '-L',
      args.join(' '),
    ]);
    const flags = ['-n', '--daemonize=no', '--exit-idle-time=-1', '--use-pid-file=no'];
    return spawn('pulseaudio', [...flags, ...modules], options);
  }
  // A separate bus that starts no services.
  const bus = join(folder, 'bus.conf');
  const rules = '<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>';
  writeFileSync(
    bus,
    `<busconfig><type>session</type><listen>unix:dir=${folder}</listen><policy context="default">${rules}</policy></busconfig>`,
  );
  // The socket of a killed server would let the session manager start too early, and fail.
  const script =
    'rm -f "$XDG_RUNTIME_DIR"/pipewire-0*; pipewire & until [ -S "$XDG_RUNTIME_DIR/pipewire-0" ]; do sleep 0.01; done; wireplumber & exec pipewire-pulse';
  return spawn('dbus-run-session', [`--config-file=${bus}`, '--', 'sh', '-c', script], options);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  // The whole process group, as a sound server has several processes.
  process.kill(-child.pid, 'SIGKILL');
  await exited;
}

/** Marks a stream that PipeWire lists before it plays and has a volume. */
const NO_SINK = 0xffff_ffff;

interface SinkInput {
  readonly index: number;
  readonly sink: number;
  readonly mute: boolean;
  readonly volume: Readonly<Record<string, { readonly value: number }>>;
  readonly properties: Readonly<Record<string, string>>;
}

export async function startSoundServer(server: SoundServer): Promise<TestSoundServer> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-sound-'));
  const runtime = join(folder, 'run');
  const socket = join(runtime, 'pulse', 'native');
  mkdirSync(runtime, { mode: 0o700 });
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    LC_ALL: 'C.UTF-8',
    HOME: folder,
    XDG_RUNTIME_DIR: runtime,
    PULSE_SERVER: `unix:${socket}`,
  };
  let child: ChildProcess | undefined;
  const players = new Set<ChildProcess>();

  const runPactl = async (...args: readonly string[]): Promise<string> =>
    (await run('pactl', [...args], { env })).stdout;
  async function listStreams(): Promise<readonly (StreamInfo & { readonly pid: string | undefined })[]> {
    const sinkInputs = JSON.parse(await runPactl('-f', 'json', 'list', 'sink-inputs')) as readonly SinkInput[];
    const playing = sinkInputs.filter(({ sink }) => sink !== NO_SINK);
    return playing.map(({ index, mute, volume, properties }) => ({
      index,
      muted: mute,
      volume: Object.values(volume).map(({ value }) => value),
      pid: properties['application.process.id'],
    }));
  }
  /** Returns whether the command succeeds. */
  const succeeds = (...args: readonly string[]): Promise<boolean> =>
    runPactl(...args).then(
      () => true,
      () => false,
    );
  async function start(): Promise<void> {
    child = spawnServer(server, env, folder);
    await waitFor('the sound server answers', () => succeeds('info'));
    if (server === 'pipewire') for (const args of outputs) await runPactl('load-module', ...args);
    // PipeWire answers before its session manager, which stores the default.
    await waitFor('the speakers can be the default', () => succeeds('set-default-sink', 'speakers'));
    await waitFor('the speakers are the default', async () =>
      (await runPactl('info')).includes('Default Sink: speakers'),
    );
  }
  async function kill(): Promise<void> {
    if (child) await end(child);
    await rm(socket, { force: true });
  }
  await start();

  function spawnPlayer(program: string, args: readonly string[]) {
    const player = spawn(program, [...args], { env, stdio: 'ignore', detached: true });
    players.add(player);
    return {
      player,
      stop: async () => {
        players.delete(player);
        await end(player);
      },
    };
  }
  async function startPlayer(program: string, args: readonly string[]): Promise<TestStream> {
    const { player, stop } = spawnPlayer(program, args);
    const stream = await waitFor('the stream is there', async () =>
      (await listStreams()).find(({ pid }) => pid === String(player.pid)),
    );
    return {
      index: stream.index,
      getInfo: async () => {
        const current = (await listStreams()).find(({ index }) => index === stream.index);
        if (!current) throw new Error('the stream is gone');
        return current;
      },
      [Symbol.asyncDispose]: stop,
    };
  }
  return {
    env,
    runPactl,
    listStreams,
    start,
    kill,
    playSilence: (name, options = {}) => startPlayer('pacat', createPacatArguments(name, options)),
    record: async (name) => {
      const { stop } = spawnPlayer('pacat', ['--record', `--client-name=${name}`, '/dev/null']);
      return { [Symbol.asyncDispose]: stop };
    },
    playFilm: (name) => startPlayer('ffmpeg', createFfmpegArguments(name)),
    [Symbol.asyncDispose]: async () => {
      for (const player of players) await end(player);
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
