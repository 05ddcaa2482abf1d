import { createHash } from 'node:crypto';
import { chmod, link, mkdir, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod/mini';
import { HOUR_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import { loneCluster, type Cluster } from '../cluster/cluster.ts';
import type { Egress } from '../egress/egress.ts';
import { getNextTime } from '../schedule/scheduler.ts';
import { realTimers, type Timers } from '../schedule/timers.ts';
import { isDiskFullError } from '../storage/diskFullError.ts';
import { LOW_DISK_SPACE_MESSAGE } from '../storage/diskSpace.ts';
import { getErrorCode } from '../storage/errorCode.ts';
import { type ProcessRunner, ProgramNotFoundError } from './childProcesses.ts';
import { getManagedYtdlpPath, parseYtdlpVersion } from './programVersions.ts';
import { YTDLP_PUBLIC_KEY } from './ytdlpPublicKey.ts';

export const YTDLP_CHANNELS = ['stable', 'nightly'] as const;
export type YtdlpChannel = (typeof YTDLP_CHANNELS)[number];

/** Addresses of releases, and the key that signs them. Tests have their own. */
export interface YtdlpReleases extends Readonly<Record<YtdlpChannel, string>> {
  /** Public key in ASCII armour. */
  readonly key: string;
}

const RELEASES: YtdlpReleases = {
  stable: 'https://github.com/yt-dlp/yt-dlp/releases/latest/download',
  nightly: 'https://github.com/yt-dlp/yt-dlp-nightly-builds/releases/latest/download',
  key: YTDLP_PUBLIC_KEY,
};

const optionsSchema = z.object({
  channel: z.enum(YTDLP_CHANNELS),
  /** `HH:MM` in this machine's zone; null for manual updates only. */
  dailyAt: z.nullable(z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/))),
});
export type YtdlpOptions = Readonly<z.output<typeof optionsSchema>>;

const stateSchema = z.extend(optionsSchema, {
  /** The last automatic update: its time in milliseconds since the epoch, and why it failed. */
  last: z.optional(z.object({ at: z.number(), failure: z.optional(z.string()) })),
  /** When the next update is due, in milliseconds since the epoch, so that a server that was off catches up. */
  due: z.optional(z.number()),
  /** Versions before the last change of channel. Nothing older is installed from that channel. */
  newest: z.optional(z.object({ stable: z.optional(z.string()), nightly: z.optional(z.string()) })),
});
export type YtdlpUpdateState = Readonly<z.output<typeof stateSchema>>;
const DEFAULT_STATE: YtdlpUpdateState = { channel: 'stable', dailyAt: null };

/** Updates the server's own yt-dlp: the zipapp of a release, verified by its signed checksums. */
export interface YtdlpUpdater {
  readonly getState: () => Promise<YtdlpUpdateState>;
  /** Changes the given options. @throws Refusal if they cannot be stored. */
  readonly setOptions: (change: { [Name in keyof YtdlpOptions]?: YtdlpOptions[Name] | undefined }) => Promise<void>;
  /**
   * Installs the newest release if it is not installed yet. On failure, the installed version remains.
   * @throws Refusal with the reason.
   */
  readonly update: () => Promise<{ readonly version: string; readonly isNew: boolean }>;
  /** Starts daily updates, if they are on. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface YtdlpUpdaterDeps {
  readonly dataDir: string;
  readonly egress: Pick<Egress, 'fetch'>;
  readonly processRunner: Pick<ProcessRunner, 'run'>;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  readonly timers?: Timers;
  /** Other instances use the same program and state. */
  readonly cluster?: Cluster;
  /** Whether this instance makes the daily updates; by default it does. */
  readonly isLeader?: () => boolean;
  readonly releases?: YtdlpReleases | undefined;
}

const KIB = 1024;
const MAX_PROGRAM_BYTES = 32 * KIB * KIB;
const VERSION_CHECK_LIMITS = {
  timeoutMs: 60_000,
  maxCpuSeconds: 30,
  maxFileBytes: 16 * KIB * KIB,
  maxOutputBytes: KIB * KIB,
};
/** Delay after the start for an update that was missed while the server was off. */
const MISSED_DELAY_MS = MINUTE_MS;
const MAX_DUE_DELAY_MS = 26 * HOUR_MS;

/** Verifies the signature of a file. @throws Refusal unless the key signed exactly these bytes. */
async function verifySignature(content: Uint8Array, signature: Uint8Array, armoredKey: string): Promise<void> {
  // Imported lazily: it is large, and only updates need it.
  const { createMessage, readKey, readSignature, verify } = await import('openpgp');
  try {
    const { signatures } = await verify({
      message: await createMessage({ binary: content }),
      signature: await readSignature({ binarySignature: signature }),
      verificationKeys: await readKey({ armoredKey }),
      expectSigned: true,
    });
    await signatures[0]?.verified;
  } catch (cause) {
    const refusal = new Refusal(
      'ytdlp.signature_invalid',
      'The yt-dlp release has an invalid signature, so it was not installed',
    );
    refusal.cause = cause;
    throw refusal;
  }
}

const computeSha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const hashFile = (path: string): Promise<string | undefined> => readFile(path).then(computeSha256, () => undefined);

/** Returns the checksum of the zipapp, which is named `yt-dlp` in a release; undefined if there is none. */
const parseChecksum = (checksums: string): string | undefined => /^([0-9a-f]{64}) [ *]yt-dlp$/m.exec(checksums)?.[1];

/** Writes a file, and waits until it is on the disk. */
async function writeDurably(path: string, bytes: Uint8Array | string, mode: number): Promise<void> {
  await writeFile(path, bytes, { mode, flush: true });
  await chmod(path, mode);
}

/** Runs an action in the folder of programs, and returns its result. @throws Refusal for errors of the file system. */
async function withDiskRefusals<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const code = getErrorCode(error);
    if (code === '') throw error;
    const sentence = isDiskFullError(error)
      ? LOW_DISK_SPACE_MESSAGE
      : `This server can't write to 'programs' in its data folder (${code}). Check who owns that folder`;
    throw new Refusal('ytdlp.folder_not_writable', sentence, { cause: error });
  }
}

const DATE_LENGTH = 'YYYY.MM.DD'.length;
const isNightly = (version: string): boolean => version.length > DATE_LENGTH;
const getChannel = (version: string): YtdlpChannel => (isNightly(version) ? 'nightly' : 'stable');

/**
 * Returns whether an older release is offered, whose signature is just as valid. Nightly versions end with the time.
 * Changing back from nightly to stable is allowed, and a release of the same day is not older than a nightly build.
 */
function isDowngrade(version: string, current: string): boolean {
  if (isNightly(current) !== isNightly(version))
    return !isNightly(current) && version.slice(0, DATE_LENGTH) < current.slice(0, DATE_LENGTH);
  // The time has leading zeros and six digits in each build, so strings compare correctly.
  return version < current;
}

/** Creates the updater. It stores options and program in the data folder. */
export function createYtdlpUpdater(deps: YtdlpUpdaterDeps): YtdlpUpdater {
  const { dataDir, egress, processRunner, log, now, timers = realTimers, releases = RELEASES } = deps;
  const { cluster = loneCluster, isLeader = () => true } = deps;
  const program = getManagedYtdlpPath(dataDir);
  const folder = dirname(program);
  const previousPath = `${program}.previous`;
  const candidatePath = `${program}.new`;
  const settingsPath = join(folder, 'yt-dlp.json');
  const runSerially = createSerialQueue();
  let isStopped = false;

  let cachedState: Promise<YtdlpUpdateState> | undefined;
  async function readState(): Promise<YtdlpUpdateState> {
    try {
      return stateSchema.parse(JSON.parse(await readFile(settingsPath, 'utf8')));
    } catch {
      return DEFAULT_STATE; // the file is missing or damaged
    }
  }
  const getState = (): Promise<YtdlpUpdateState> => (cachedState ??= readState());
  const storeState = (change: (state: YtdlpUpdateState) => YtdlpUpdateState): Promise<void> =>
    runSerially(async () => {
      const next = change(await getState());
      await withDiskRefusals(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeDurably(`${settingsPath}.new`, JSON.stringify(next), 0o600);
        await rename(`${settingsPath}.new`, settingsPath);
      });
      cachedState = Promise.resolve(next);
      cluster.publish('ytdlp.state', null);
    });
  function handleStateElsewhere(): void {
    cachedState = undefined;
    getState().then(scheduleNextUpdate, (error: unknown) => log.warn({ err: error }, 'ytdlp.update.not_noted'));
  }
  cluster.subscribe('ytdlp.state', handleStateElsewhere);
  cluster.onJoined(handleStateElsewhere);

  /** Downloads a file of a release. @throws Refusal if the site does not send it. */
  async function fetchFile(base: string, name: string, maxBytes: number): Promise<Uint8Array> {
    const { status, body } = await egress.fetch(`${base}/${name}`, { maxBytes, timeoutMs: 300_000 });
    if (status !== 200)
      throw new Refusal(
        'ytdlp.download_failed',
        `Could not download yt-dlp: its site responded with status ${status}. Try again later`,
      );
    if (isStopped) throw new Refusal('server.stopping', 'The server is stopping. Try again in a moment');
    return body;
  }

  /** Returns the version of a yt-dlp; undefined if the program is missing or does not run. */
  async function getVersion(path: string): Promise<string | undefined> {
    const scratchFolder = join(folder, 'try');
    await mkdir(scratchFolder, { recursive: true, mode: 0o700 });
    try {
      const { exitCode, output, errorOutput } = await processRunner.run({
        program: path,
        args: ['--ignore-config', '--version'],
        folder: scratchFolder,
        limits: VERSION_CHECK_LIMITS,
        reads: [path],
      });
      if (exitCode !== 0) log.warn({ path, errors: errorOutput.slice(-300) }, 'ytdlp.update.does_not_run');
      return exitCode === 0 ? parseYtdlpVersion(output) : undefined;
    } catch (error) {
      if (error instanceof ProgramNotFoundError) return undefined;
      throw error;
    } finally {
      await rm(scratchFolder, { recursive: true, force: true });
    }
  }

  /** Python reads modules of a zipapp while it runs, so a running download needs the version that it started with. */
  async function removeOtherVersions(needed: readonly (string | undefined)[]): Promise<void> {
    const paths = (await readdir(folder)).filter((name) => /^yt-dlp-\d/.test(name)).map((name) => join(folder, name));
    for (const path of paths) if (!needed.includes(path)) await rm(path, { force: true });
  }

  /**
   * Installs a downloaded release, and returns its version.
   * @throws Refusal if the release does not run here, or is older than the installed one.
   */
  async function install(bytes: Uint8Array): Promise<string> {
    try {
      await writeDurably(candidatePath, bytes, 0o755);
      const version = await getVersion(candidatePath);
      if (version === undefined)
        throw new Refusal(
          'ytdlp.python_too_old',
          'The newest yt-dlp does not start on this server, so the previous version is still used. It may need a newer Python',
        );
      const current = await getVersion(program);
      const lastOfChannel = (await getState()).newest?.[getChannel(version)];
      const minVersion = current !== undefined && isDowngrade(version, current) ? current : lastOfChannel;
      if (minVersion !== undefined && version < minVersion)
        throw new Refusal(
          'ytdlp.downgrade',
          `The site offers yt-dlp ${version}, which is older than ${minVersion}, so it was not installed`,
        );
      if (current !== undefined && isNightly(current) !== isNightly(version))
        await storeState(({ newest, ...before }) => ({
          ...before,
          newest: { ...newest, [getChannel(current)]: current },
        }));
      const replacedPath = await realpath(program).catch(() => undefined);
      if (current !== undefined && replacedPath !== undefined) {
        await rm(previousPath, { force: true });
        await link(replacedPath, previousPath);
      }
      const installedPath = join(folder, `yt-dlp-${version}`);
      await rename(candidatePath, installedPath);
      await symlink(basename(installedPath), candidatePath);
      await rename(candidatePath, program);
      await removeOtherVersions([installedPath, replacedPath]);
      return version;
    } finally {
      await rm(candidatePath, { force: true });
    }
  }

  let currentInstallation: Promise<unknown> | undefined;
  async function updateNow(channel: YtdlpChannel): Promise<{ version: string; isNew: boolean }> {
    const base = releases[channel];
    await withDiskRefusals(() => mkdir(folder, { recursive: true, mode: 0o700 }));
    const checksums = await fetchFile(base, 'SHA2-256SUMS', 64 * KIB);
    await verifySignature(checksums, await fetchFile(base, 'SHA2-256SUMS.sig', 16 * KIB), releases.key);
    const expectedChecksum = parseChecksum(Buffer.from(checksums).toString('utf8'));
    if (expectedChecksum === undefined)
      throw new Refusal(
        'ytdlp.no_zipapp',
        'This yt-dlp release has no platform-independent file, so it was not installed',
      );
    if ((await hashFile(program)) === expectedChecksum) {
      const version = await getVersion(program);
      if (version !== undefined) return { version, isNew: false };
    }
    const bytes = await fetchFile(base, 'yt-dlp', MAX_PROGRAM_BYTES);
    if (computeSha256(bytes) !== expectedChecksum)
      throw new Refusal(
        'ytdlp.checksum_mismatch',
        'The download does not match the signed checksum of the yt-dlp release. Try again in a minute',
      );
    const installation = withDiskRefusals(() => install(bytes));
    currentInstallation = installation;
    const version = await installation;
    log.info({ version }, 'ytdlp.update.installed');
    return { version, isNew: true };
  }

  let currentUpdate: { readonly channel: YtdlpChannel; readonly result: ReturnType<typeof updateNow> } | undefined;
  async function update(): ReturnType<typeof updateNow> {
    const { channel } = await getState();
    if (currentUpdate?.channel === channel) return currentUpdate.result;
    // An earlier update of the other channel ends first, so that the new channel's version is installed last.
    const earlierUpdate = currentUpdate?.result.catch(() => undefined);
    const result = (async () => {
      await earlierUpdate;
      return updateNow(channel);
    })();
    const startedUpdate = { channel, result };
    currentUpdate = startedUpdate;
    try {
      return await result;
    } finally {
      if (currentUpdate === startedUpdate) currentUpdate = undefined;
    }
  }

  let cancelTimer: (() => void) | undefined;
  /** Starts one timer for the next update. Regular checks would wake the server in between. */
  function scheduleNextUpdate({ dailyAt, due }: YtdlpUpdateState): void {
    cancelTimer?.();
    if (isStopped || dailyAt === null || due === undefined) return;
    const nowMs = now().epochMilliseconds;
    // A time this far away was set by a wrong clock.
    const next = due - nowMs > MAX_DUE_DELAY_MS ? getNextTime(now(), dailyAt).epochMilliseconds : due;
    cancelTimer = timers.schedule(Math.max(next - nowMs, MISSED_DELAY_MS), () => void updateDaily());
  }
  /** Returns when the next daily update is due, in milliseconds since the epoch. */
  const computeDueMs = (dailyAt: string | null): number | undefined =>
    dailyAt === null ? undefined : getNextTime(now(), dailyAt).epochMilliseconds;
  async function updateDaily(): Promise<void> {
    if (!isLeader()) {
      const state = await getState();
      scheduleNextUpdate({ ...state, due: computeDueMs(state.dailyAt) });
      return;
    }
    const startedAt = now().epochMilliseconds;
    const failure = await update().then(
      () => undefined,
      (error: unknown) => {
        log.warn({ err: error }, 'ytdlp.update.failed');
        return error instanceof Refusal ? error.message : 'Something went wrong on the server. Its log has the details';
      },
    );
    if (isStopped) return;
    const last = { at: startedAt, ...(failure === undefined ? {} : { failure }) };
    await storeState((before) => ({ ...before, last, due: computeDueMs(before.dailyAt) })).catch((error: unknown) =>
      log.warn({ err: error }, 'ytdlp.update.not_noted'),
    );
    const { dailyAt, ...rest } = await getState();
    scheduleNextUpdate({ ...rest, dailyAt, due: computeDueMs(dailyAt) });
  }

  return {
    getState,
    setOptions: async (change) => {
      await storeState(({ channel, dailyAt, last, due, newest }) => {
        const next = { channel: change.channel ?? channel, last, newest };
        if (change.dailyAt === undefined) return { ...next, dailyAt, due };
        return { ...next, dailyAt: change.dailyAt, due: computeDueMs(change.dailyAt) };
      });
      scheduleNextUpdate(await getState());
    },
    update,
    start: async () => scheduleNextUpdate(await getState()),
    stop: async () => {
      isStopped = true;
      cancelTimer?.();
      await currentInstallation?.catch(() => undefined);
    },
  };
}
