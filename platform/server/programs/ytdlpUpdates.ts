import { createHash } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Egress } from '../egress/egress.ts';
import { createSerialQueue } from '../schedule/serialQueue.ts';
import { realTimers, type Timers } from '../schedule/timers.ts';
import { isDiskFullError, LOW_DISK_SPACE_MESSAGE } from '../storage/diskSpace.ts';
import { type ProcessRunner, ProgramNotFoundError } from './childProcesses.ts';
import { getManagedYtdlpPath, parseYtdlpVersion } from './programVersions.ts';

/** Key that releases of yt-dlp are signed with: AC0CBBE6848D6A873464AF4E57CF65933B5A7581 (`public.key` of its repository). */
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

/** Where releases come from, and who signs them; tests have their own. */
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
  /** `HH:MM` of this machine's clock; null for by hand alone. */
  dailyAt: z.nullable(z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/))),
});
export type YtdlpOptions = Readonly<z.output<typeof options>>;

const state = z.extend(options, {
  /** The last update by itself: when, in milliseconds since the epoch, and why it failed. */
  last: z.optional(z.object({ at: z.number(), failure: z.optional(z.string()) })),
  /** When the next one is due, in milliseconds since the epoch: a server that was off at that time makes up for it. */
  due: z.optional(z.number()),
  /** The version that ran before the last change of channel: nothing older of that channel is installed again. */
  newest: z.optional(z.object({ stable: z.optional(z.string()), nightly: z.optional(z.string()) })),
});
export type YtdlpUpdateState = Readonly<z.output<typeof state>>;
const DEFAULTS: YtdlpUpdateState = { channel: 'stable', dailyAt: null };

/** Keeps a yt-dlp of the server's own up to date: the release's zipapp, checked against its signed checksums. */
export interface YtdlpUpdater {
  readonly getState: () => Promise<YtdlpUpdateState>;
  /** What is left out stays. @throws Refusal where it can't be stored. */
  readonly setOptions: (change: { [Name in keyof YtdlpOptions]?: YtdlpOptions[Name] | undefined }) => Promise<void>;
  /** Fetches the newest release, where it is not here yet. @throws Refusal with a sentence; what was here stays then. */
  readonly update: () => Promise<{ readonly version: string; readonly isNew: boolean }>;
  /** Updates daily from now on, where that is set. */
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
/** After the start, for an update that a server missed that was off. */
const MISSED_DELAY_MS = 60_000;
const MAX_WAIT_MS = 26 * 3_600_000;

/** @throws Refusal unless exactly these bytes were signed with the key. */
const verifySignature = async (signed: Uint8Array, signature: Uint8Array, armoredKey: string): Promise<void> => {
  // Large, and needed for updates alone.
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
    const refusal = new Refusal('The signature of this yt-dlp release is wrong, so it was not installed');
    refusal.cause = cause;
    throw refusal;
  }
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const sha256Of = (path: string): Promise<string | undefined> => readFile(path).then(sha256, () => undefined);

/** The checksum of the zipapp, which is called just `yt-dlp` among the files of a release. */
const checksumIn = (sums: string): string | undefined => /^([0-9a-f]{64}) [ *]yt-dlp$/m.exec(sums)?.[1];

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

/** Does work on the folder of programs. @throws Refusal where the system does not let it */
const onDisk = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error;
    const sentence = isDiskFullError(error)
      ? LOW_DISK_SPACE_MESSAGE
      : `This server can't write to 'programs' in its data folder (${error.code}). Check who owns that folder`;
    const refusal = new Refusal(sentence);
    refusal.cause = error;
    throw refusal;
  }
};

/** The next time that the clock of this machine shows `HH:MM`. */
const nextAfter = (now: Temporal.Instant, time: string): Temporal.Instant => {
  const here = now.toZonedDateTimeISO(Temporal.Now.timeZoneId());
  const today = here.withPlainTime(time);
  const isPast = Temporal.ZonedDateTime.compare(today, here) <= 0;
  return (isPast ? here.add({ days: 1 }).withPlainTime(time) : today).toInstant();
};

const DATE_LENGTH = 'YYYY.MM.DD'.length;
const isNightly = (version: string): boolean => version.length > DATE_LENGTH;
const channelOf = (version: string): YtdlpChannel => (isNightly(version) ? 'nightly' : 'stable');

/**
 * Whether an old release is offered, which is signed just as well. Nightly builds have the time as a fourth number; from them
 * the way back to a release is open, and a release of the same day is no older than a nightly build of it.
 */
const isDowngrade = (version: string, current: string): boolean => {
  if (isNightly(current) !== isNightly(version))
    return !isNightly(current) && version.slice(0, DATE_LENGTH) < current.slice(0, DATE_LENGTH);
  // The time has leading zeros, and six digits in every build.
  return version < current;
};

export function createYtdlpUpdater(deps: YtdlpUpdaterDeps): YtdlpUpdater {
  const { dataDir, egress, children, log, now, timers = realTimers, releases = RELEASES } = deps;
  const program = getManagedYtdlpPath(dataDir);
  const folder = dirname(program);
  const [previous, candidate, settings] = [`${program}.previous`, `${program}.new`, join(folder, 'yt-dlp.json')];
  const inTurn = createSerialQueue();
  let isStopped = false;

  let stored: Promise<YtdlpUpdateState> | undefined;
  const readState = async (): Promise<YtdlpUpdateState> => {
    try {
      return state.parse(JSON.parse(await readFile(settings, 'utf8')));
    } catch {
      return DEFAULTS; // not there, or not ours to read
    }
  };
  const currentState = (): Promise<YtdlpUpdateState> => (stored ??= readState());
  const storeState = (change: (state: YtdlpUpdateState) => YtdlpUpdateState): Promise<void> =>
    inTurn('state', async () => {
      const next = change(await currentState());
      await onDisk(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeDurably(`${settings}.new`, JSON.stringify(next), 0o600);
        await rename(`${settings}.new`, settings);
      });
      stored = Promise.resolve(next);
    });

  const fetchFile = async (base: string, name: string, maxBytes: number): Promise<Uint8Array> => {
    const { status, body } = await egress.fetch(`${base}/${name}`, { maxBytes, timeoutMs: 300_000 });
    if (status !== 200) throw new Refusal(`The release of yt-dlp could not be fetched: its site answered ${status}`);
    if (isStopped) throw new Refusal('This server is stopping');
    return body;
  };

  /** Undefined for one that is not there, or does not run. */
  const versionOf = async (path: string): Promise<string | undefined> => {
    const work = join(folder, 'try');
    await mkdir(work, { recursive: true, mode: 0o700 });
    try {
      const { exitCode, output, errorOutput } = await children.run({
        program: path,
        args: ['--ignore-config', '--version'],
        folder: work,
        limits: TRY_LIMITS,
        reads: [path],
      });
      if (exitCode !== 0) log.warn({ path, errors: errorOutput.slice(-300) }, 'ytdlp.update.does_not_run');
      return exitCode === 0 ? parseYtdlpVersion(output) : undefined;
    } catch (error) {
      if (error instanceof ProgramNotFoundError) return undefined;
      throw error;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  };

  /** @throws Refusal where the release does not run here, or is older than the one that does. */
  const install = async (bytes: Uint8Array): Promise<string> => {
    try {
      await writeDurably(candidate, bytes, 0o755);
      const version = await versionOf(candidate);
      if (version === undefined)
        throw new Refusal(
          'The newest yt-dlp does not run on this server, so the one before stays: it needs Python 3.10',
        );
      const current = await versionOf(program);
      const left = (await currentState()).newest?.[channelOf(version)];
      const newer = current !== undefined && isDowngrade(version, current) ? current : left;
      if (newer !== undefined && version < newer)
        throw new Refusal(`The site offers yt-dlp ${version}, which is older than ${newer}, so it was not installed`);
      if (current !== undefined && isNightly(current) !== isNightly(version))
        await storeState(({ newest, ...before }) => ({
          ...before,
          newest: { ...newest, [channelOf(current)]: current },
        }));
      if (current !== undefined) {
        await rm(previous, { force: true });
        await link(program, previous);
      }
      await rename(candidate, program);
      return version;
    } finally {
      await rm(candidate, { force: true });
    }
  };

  let installing: Promise<unknown> | undefined;
  const updateNow = async (channel: YtdlpChannel): Promise<{ version: string; isNew: boolean }> => {
    const base = releases[channel];
    await onDisk(() => mkdir(folder, { recursive: true, mode: 0o700 }));
    const sums = await fetchFile(base, 'SHA2-256SUMS', 64 * KIB);
    await verifySignature(sums, await fetchFile(base, 'SHA2-256SUMS.sig', 16 * KIB), releases.key);
    const wanted = checksumIn(Buffer.from(sums).toString('utf8'));
    if (wanted === undefined) throw new Refusal('This release of yt-dlp has no file for every system');
    if ((await sha256Of(program)) === wanted) {
      const version = await versionOf(program);
      if (version !== undefined) return { version, isNew: false };
    }
    const bytes = await fetchFile(base, 'yt-dlp', MAX_PROGRAM_BYTES);
    if (sha256(bytes) !== wanted)
      throw new Refusal('What came is not what the release of yt-dlp was signed for. Try again in a minute');
    const installed = onDisk(() => install(bytes));
    installing = installed;
    const version = await installed;
    log.info({ version }, 'ytdlp.update.installed');
    return { version, isNew: true };
  };

  let updating: { readonly channel: YtdlpChannel; readonly result: ReturnType<typeof updateNow> } | undefined;
  const update = async (): ReturnType<typeof updateNow> => {
    const { channel } = await currentState();
    if (updating?.channel === channel) return updating.result;
    // Asked for before the channel was changed: what is installed last is of the new one.
    const before = updating?.result.catch(() => undefined);
    const result = (async () => {
      await before;
      return updateNow(channel);
    })();
    const own = { channel, result };
    updating = own;
    try {
      return await result;
    } finally {
      if (updating === own) updating = undefined;
    }
  };

  let cancelTimer: (() => void) | undefined;
  /** One timer for the whole day: nothing happens until it is time. */
  const waitForNext = ({ dailyAt, due }: YtdlpUpdateState): void => {
    cancelTimer?.();
    if (isStopped || dailyAt === null || due === undefined) return;
    const current = now().epochMilliseconds;
    // A clock that was wrong has set a time that is wrong.
    const next = due - current > MAX_WAIT_MS ? nextAfter(now(), dailyAt).epochMilliseconds : due;
    cancelTimer = timers.schedule(Math.max(next - current, MISSED_DELAY_MS), () => void updateDaily());
  };
  const dueOf = (dailyAt: string | null): number | undefined =>
    dailyAt === null ? undefined : nextAfter(now(), dailyAt).epochMilliseconds;
  const updateDaily = async (): Promise<void> => {
    const at = now().epochMilliseconds;
    const failure = await update().then(
      () => undefined,
      (error: unknown) => {
        log.warn({ err: error }, 'ytdlp.update.failed');
        return error instanceof Refusal ? error.message : 'Something went wrong on the server';
      },
    );
    if (isStopped) return;
    const last = { at, ...(failure === undefined ? {} : { failure }) };
    await storeState((before) => ({ ...before, last, due: dueOf(before.dailyAt) })).catch((error: unknown) =>
      log.warn({ err: error }, 'ytdlp.update.not_noted'),
    );
    const { dailyAt, ...rest } = await currentState();
    waitForNext({ ...rest, dailyAt, due: dueOf(dailyAt) });
  };

  return {
    getState: currentState,
    setOptions: async (change) => {
      await storeState(({ channel, dailyAt, last, due, newest }) => {
        const next = { channel: change.channel ?? channel, last, newest };
        if (change.dailyAt === undefined) return { ...next, dailyAt, due };
        return { ...next, dailyAt: change.dailyAt, due: dueOf(change.dailyAt) };
      });
      waitForNext(await currentState());
    },
    update,
    start: async () => waitForNext(await currentState()),
    stop: async () => {
      isStopped = true;
      cancelTimer?.();
      await installing?.catch(() => undefined);
    },
  };
}
