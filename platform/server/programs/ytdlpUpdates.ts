import { createHash } from 'node:crypto';
import { chmod, link, mkdir, open, readdir, readFile, realpath, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod/mini';
import { HOUR_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { Egress } from '../egress/egress.ts';
import { realTimers, type Timers } from '../schedule/timers.ts';
import { isDiskFullError, LOW_DISK_SPACE_MESSAGE } from '../storage/diskSpace.ts';
import { getErrorCode } from '../storage/errorCode.ts';
import { type ProcessRunner, ProgramNotFoundError } from './childProcesses.ts';
import { getManagedYtdlpPath, parseYtdlpVersion } from './programVersions.ts';

/**
 * Public key of yt-dlp releases: AC0CBBE6848D6A873464AF4E57CF65933B5A7581 (`public.key` of its repository).
 */
export const YTDLP_PUBLIC_KEY = `-----BEGIN PGP PUBLIC KEY BLOCK-----

mQINBGP78C4BEAD0rF9zjGPAt0thlt5C1ebzccAVX7Nb1v+eqQjk+WEZdTETVCg3
WAM5ngArlHdm/fZqzUgO+pAYrB60GKeg7ffUDf+S0XFKEZdeRLYeAaqqKhSibVal
DjvOBOztu3W607HLETQAqA7wTPuIt2WqmpL60NIcyr27LxqmgdN3mNvZ2iLO+bP0
nKR/C+PgE9H4ytywDa12zMx6PmZCnVOOOu6XZEFmdUxxdQ9fFDqd9LcBKY2LDOcS
Yo1saY0YWiZWHtzVoZu1kOzjnS5Fjq/yBHJLImDH7pNxHm7s/PnaurpmQFtDFruk
t+2lhDnpKUmGr/I/3IHqH/X+9nPoS4uiqQ5HpblB8BK+4WfpaiEg75LnvuOPfZIP
KYyXa/0A7QojMwgOrD88ozT+VCkKkkJ+ijXZ7gHNjmcBaUdKK7fDIEOYI63Lyc6Q
WkGQTigFffSUXWHDCO9aXNhP3ejqFWgGMtCUsrbkcJkWuWY7q5ARy/05HbSM3K4D
U9eqtnxmiV1WQ8nXuI9JgJQRvh5PTkny5LtxqzcmqvWO9TjHBbrs14BPEO9fcXxK
L/CFBbzXDSvvAgArdqqlMoncQ/yicTlfL6qzJ8EKFiqW14QMTdAn6SuuZTodXCTi
InwoT7WjjuFPKKdvfH1GP4bnqdzTnzLxCSDIEtfyfPsIX+9GI7Jkk/zZjQARAQAB
tDdTaW1vbiBTYXdpY2tpICh5dC1kbHAgc2lnbmluZyBrZXkpIDxjb250YWN0QGdy
dWI0ay54eXo+iQJOBBMBCgA4FiEErAy75oSNaoc0ZK9OV89lkztadYEFAmP78C4C
GwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQV89lkztadYEVqQ//cW7TxhXg
7Xbh2EZQzXml0egn6j8QaV9KzGragMiShrlvTO2zXfLXqyizrFP4AspgjSn/4NrI
8mluom+Yi+qr7DXT4BjQqIM9y3AjwZPdywe912Lxcw52NNoPZCm24I9T7ySc8lmR
FQvZC0w4H/VTNj/2lgJ1dwMflpwvNRiWa5YzcFGlCUeDIPskLx9++AJE+xwU3LYm
jQQsPBqpHHiTBEJzMLl+rfd9Fg4N+QNzpFkTDW3EPerLuvJniSBBwZthqxeAtw4M
UiAXh6JvCc2hJkKCoygRfM281MeolvmsGNyQm+axlB0vyldiPP6BnaRgZlx+l6MU
cPqgHblb7RW5j9lfr6OYL7SceBIHNv0CFrt1OnkGo/tVMwcs8LH3Ae4a7UJlIceL
V54aRxSsZU7w4iX+PB79BWkEsQzwKrUuJVOeL4UDwWajp75OFaUqbS/slDDVXvK5
OIeuth3mA/adjdvgjPxhRQjA3l69rRWIJDrqBSHldmRsnX6cvXTDy8wSXZgy51lP
m4IVLHnCy9m4SaGGoAsfTZS0cC9FgjUIyTyrq9M67wOMpUxnuB0aRZgJE1DsI23E
qdvcSNVlO+39xM/KPWUEh6b83wMn88QeW+DCVGWACQq5N3YdPnAJa50617fGbY6I
gXIoRHXkDqe23PZ/jURYCv0sjVtjPoVC+bg=
=bJkn
-----END PGP PUBLIC KEY BLOCK-----
`;

export const YTDLP_CHANNELS = ['stable', 'nightly'] as const;
export type YtdlpChannel = (typeof YTDLP_CHANNELS)[number];

/** Addresses of releases, and the key that signs them. Tests have their own. */
export interface YtdlpReleases extends Readonly<Record<YtdlpChannel, string>> {
  /** ASCII-armoured. */
  readonly key: string;
}

const RELEASES: YtdlpReleases = {
  stable: 'https://github.com/yt-dlp/yt-dlp/releases/latest/download',
  nightly: 'https://github.com/yt-dlp/yt-dlp-nightly-builds/releases/latest/download',
  key: YTDLP_PUBLIC_KEY,
};

const options = z.object({
  channel: z.enum(YTDLP_CHANNELS),
  /** `HH:MM` in this machine's zone; null for manual updates only. */
  dailyAt: z.nullable(z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/))),
});
export type YtdlpOptions = Readonly<z.output<typeof options>>;

const state = z.extend(options, {
  /** Last automatic update: its time in milliseconds since the epoch, and why it failed. */
  last: z.optional(z.object({ at: z.number(), failure: z.optional(z.string()) })),
  /** When the next update is due, in milliseconds since the epoch, so that a server that was off catches up. */
  due: z.optional(z.number()),
  /** Versions before the last change of channel. Nothing older is installed from that channel. */
  newest: z.optional(z.object({ stable: z.optional(z.string()), nightly: z.optional(z.string()) })),
});
export type YtdlpUpdateState = Readonly<z.output<typeof state>>;
const DEFAULTS: YtdlpUpdateState = { channel: 'stable', dailyAt: null };

/** Updates the server's own yt-dlp: the zipapp of a release, verified by its signed checksums. */
export interface YtdlpUpdater {
  readonly getState: () => Promise<YtdlpUpdateState>;
  /** Changes the given options. @throws Refusal if they cannot be stored. */
  readonly setOptions: (change: { [Name in keyof YtdlpOptions]?: YtdlpOptions[Name] | undefined }) => Promise<void>;
  /**
   * Installs the newest release if it is not installed yet. @throws Refusal on failure; the installed version remains.
   */
  readonly update: () => Promise<{ readonly version: string; readonly isNew: boolean }>;
  /** Starts daily updates, if they are on. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface YtdlpUpdaterDeps {
  readonly dataDir: string;
  readonly egress: Pick<Egress, 'fetch'>;
  readonly children: Pick<ProcessRunner, 'run'>;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  readonly timers?: Timers;
  readonly releases?: YtdlpReleases | undefined;
}

const KIB = 1024;
const MAX_PROGRAM_BYTES = 32 * KIB * KIB;
const TRY_LIMITS = { timeoutMs: 60_000, maxCpuSeconds: 30, maxFileBytes: 16 * KIB * KIB, outputBytes: KIB * KIB };
/** Delay after the start for an update that was missed while the server was off. */
const MISSED_DELAY_MS = MINUTE_MS;
const MAX_WAIT_MS = 26 * HOUR_MS;

/** @throws Refusal unless the key signed exactly these bytes. */
const verifySignature = async (signed: Uint8Array, signature: Uint8Array, armoredKey: string): Promise<void> => {
  // Imported lazily: it is large, and only updates need it.
  const { createMessage, readKey, readSignature, verify } = await import('openpgp');
  try {
    const { signatures } = await verify({
      message: await createMessage({ binary: signed }),
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
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const hashFile = (path: string): Promise<string | undefined> => readFile(path).then(sha256, () => undefined);

/** Finds the checksum of the zipapp, which is named `yt-dlp` in a release. */
const parseChecksum = (sums: string): string | undefined => /^([0-9a-f]{64}) [ *]yt-dlp$/m.exec(sums)?.[1];

const writeDurably = async (path: string, bytes: Uint8Array | string, mode: number): Promise<void> => {
  const file = await open(path, 'w', mode);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await chmod(path, mode);
};

/** Runs work in the folder of programs. @throws Refusal for errors of the system. */
const withDiskErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const code = getErrorCode(error);
    if (code === '') throw error;
    const sentence = isDiskFullError(error)
      ? LOW_DISK_SPACE_MESSAGE
      : `This server can't write to 'programs' in its data folder (${code}). Check who owns that folder`;
    throw new Refusal('ytdlp.folder_not_writable', sentence, { cause: error });
  }
};

/** Returns the next time at which this machine's clock shows `HH:MM`. */
const getNextTime = (now: Temporal.Instant, time: string): Temporal.Instant => {
  const localTime = now.toZonedDateTimeISO(Temporal.Now.timeZoneId());
  const today = localTime.withPlainTime(time);
  const isPast = Temporal.ZonedDateTime.compare(today, localTime) <= 0;
  return (isPast ? localTime.add({ days: 1 }).withPlainTime(time) : today).toInstant();
};

const DATE_LENGTH = 'YYYY.MM.DD'.length;
const isNightly = (version: string): boolean => version.length > DATE_LENGTH;
const getChannel = (version: string): YtdlpChannel => (isNightly(version) ? 'nightly' : 'stable');

/**
 * Returns whether an older release is offered, whose signature is just as valid. Nightly versions end with the time.
 * Changing back from nightly to stable is allowed, and a release of the same day is not older than a nightly build.
 */
const isDowngrade = (version: string, current: string): boolean => {
  if (isNightly(current) !== isNightly(version))
    return !isNightly(current) && version.slice(0, DATE_LENGTH) < current.slice(0, DATE_LENGTH);
  // The time has leading zeros and six digits in each build, so strings compare correctly.
  return version < current;
};

/** Creates the updater. It stores options and program in the data folder. */
export function createYtdlpUpdater(deps: YtdlpUpdaterDeps): YtdlpUpdater {
  const { dataDir, egress, children, log, now, timers = realTimers, releases = RELEASES } = deps;
  const program = getManagedYtdlpPath(dataDir);
  const folder = dirname(program);
  const [previous, candidate, settings] = [`${program}.previous`, `${program}.new`, join(folder, 'yt-dlp.json')];
  const runSerially = createSerialQueue();
  let isStopped = false;

  let cachedState: Promise<YtdlpUpdateState> | undefined;
  const readState = async (): Promise<YtdlpUpdateState> => {
    try {
      return state.parse(JSON.parse(await readFile(settings, 'utf8')));
    } catch {
      return DEFAULTS; // missing, or not readable
    }
  };
  const getState = (): Promise<YtdlpUpdateState> => (cachedState ??= readState());
  const storeState = (change: (state: YtdlpUpdateState) => YtdlpUpdateState): Promise<void> =>
    runSerially(async () => {
      const next = change(await getState());
      await withDiskErrors(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeDurably(`${settings}.new`, JSON.stringify(next), 0o600);
        await rename(`${settings}.new`, settings);
      });
      cachedState = Promise.resolve(next);
    });

  const fetchFile = async (base: string, name: string, maxBytes: number): Promise<Uint8Array> => {
    const { status, body } = await egress.fetch(`${base}/${name}`, { maxBytes, timeoutMs: 300_000 });
    if (status !== 200)
      throw new Refusal(
        'ytdlp.download_failed',
        `Could not download yt-dlp: its site responded with status ${status}. Try again later`,
      );
    if (isStopped) throw new Refusal('server.stopping', 'The server is stopping. Try again in a moment');
    return body;
  };

  /** Returns the version; undefined if it is missing or does not run. */
  const getVersion = async (path: string): Promise<string | undefined> => {
    const scratchFolder = join(folder, 'try');
    await mkdir(scratchFolder, { recursive: true, mode: 0o700 });
    try {
      const { exitCode, output, errorOutput } = await children.run({
        program: path,
        args: ['--ignore-config', '--version'],
        folder: scratchFolder,
        limits: TRY_LIMITS,
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
  };

  /** Python reads modules of a zipapp while it runs, so a running download needs the version that it started with. */
  const removeOtherVersions = async (needed: readonly (string | undefined)[]): Promise<void> => {
    const paths = (await readdir(folder)).filter((name) => /^yt-dlp-\d/.test(name)).map((name) => join(folder, name));
    for (const path of paths) if (!needed.includes(path)) await rm(path, { force: true });
  };

  /** @throws Refusal if the release does not run here, or is older than the installed one. */
  const install = async (bytes: Uint8Array): Promise<string> => {
    try {
      await writeDurably(candidate, bytes, 0o755);
      const version = await getVersion(candidate);
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
      const replaced = await realpath(program).catch(() => undefined);
      if (current !== undefined && replaced !== undefined) {
        await rm(previous, { force: true });
        await link(replaced, previous);
      }
      const installed = join(folder, `yt-dlp-${version}`);
      await rename(candidate, installed);
      await symlink(basename(installed), candidate);
      await rename(candidate, program);
      await removeOtherVersions([installed, replaced]);
      return version;
    } finally {
      await rm(candidate, { force: true });
    }
  };

  let installing: Promise<unknown> | undefined;
  const updateNow = async (channel: YtdlpChannel): Promise<{ version: string; isNew: boolean }> => {
    const base = releases[channel];
    await withDiskErrors(() => mkdir(folder, { recursive: true, mode: 0o700 }));
    const sums = await fetchFile(base, 'SHA2-256SUMS', 64 * KIB);
    await verifySignature(sums, await fetchFile(base, 'SHA2-256SUMS.sig', 16 * KIB), releases.key);
    const expectedChecksum = parseChecksum(Buffer.from(sums).toString('utf8'));
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
    if (sha256(bytes) !== expectedChecksum)
      throw new Refusal(
        'ytdlp.checksum_mismatch',
        'The download does not match the signed checksum of the yt-dlp release. Try again in a minute',
      );
    const installed = withDiskErrors(() => install(bytes));
    installing = installed;
    const version = await installed;
    log.info({ version }, 'ytdlp.update.installed');
    return { version, isNew: true };
  };

  let updating: { readonly channel: YtdlpChannel; readonly result: ReturnType<typeof updateNow> } | undefined;
  const update = async (): ReturnType<typeof updateNow> => {
    const { channel } = await getState();
    if (updating?.channel === channel) return updating.result;
    // Requested before the change of channel. It runs first, so that the new channel's version is installed last.
    const before = updating?.result.catch(() => undefined);
    const result = (async () => {
      await before;
      return updateNow(channel);
    })();
    const currentUpdate = { channel, result };
    updating = currentUpdate;
    try {
      return await result;
    } finally {
      if (updating === currentUpdate) updating = undefined;
    }
  };

  let cancelTimer: (() => void) | undefined;
  /** Starts one timer for the next update, which does not wake the server before. */
  const waitForNext = ({ dailyAt, due }: YtdlpUpdateState): void => {
    cancelTimer?.();
    if (isStopped || dailyAt === null || due === undefined) return;
    const current = now().epochMilliseconds;
    // A wrong clock has set a wrong time.
    const next = due - current > MAX_WAIT_MS ? getNextTime(now(), dailyAt).epochMilliseconds : due;
    cancelTimer = timers.schedule(Math.max(next - current, MISSED_DELAY_MS), () => void updateDaily());
  };
  const getDueMs = (dailyAt: string | null): number | undefined =>
    dailyAt === null ? undefined : getNextTime(now(), dailyAt).epochMilliseconds;
  const updateDaily = async (): Promise<void> => {
    const at = now().epochMilliseconds;
    const failure = await update().then(
      () => undefined,
      (error: unknown) => {
        log.warn({ err: error }, 'ytdlp.update.failed');
        return error instanceof Refusal ? error.message : 'Something went wrong on the server. Its log has the details';
      },
    );
    if (isStopped) return;
    const last = { at, ...(failure === undefined ? {} : { failure }) };
    await storeState((before) => ({ ...before, last, due: getDueMs(before.dailyAt) })).catch((error: unknown) =>
      log.warn({ err: error }, 'ytdlp.update.not_noted'),
    );
    const { dailyAt, ...rest } = await getState();
    waitForNext({ ...rest, dailyAt, due: getDueMs(dailyAt) });
  };

  return {
    getState,
    setOptions: async (change) => {
      await storeState(({ channel, dailyAt, last, due, newest }) => {
        const next = { channel: change.channel ?? channel, last, newest };
        if (change.dailyAt === undefined) return { ...next, dailyAt, due };
        return { ...next, dailyAt: change.dailyAt, due: getDueMs(change.dailyAt) };
      });
      waitForNext(await getState());
    },
    update,
    start: async () => waitForNext(await getState()),
    stop: async () => {
      isStopped = true;
      cancelTimer?.();
      await installing?.catch(() => undefined);
    },
  };
}
