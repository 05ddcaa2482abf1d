import { createHash } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Egress } from '../egress/egress.ts';
import type { Children } from './children.ts';
import { managedYtdlp } from './managed.ts';
import { versionOfYtdlp } from './versions.ts';
import { YTDLP_KEY } from './ytdlpKey.ts';

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
  key: YTDLP_KEY,
};

const options = z.object({
  channel: z.enum(YTDLP_CHANNELS),
  /** `HH:MM` of this machine's clock; null for by hand alone. */
  dailyAt: z.nullable(z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/))),
});
export type YtdlpOptions = Readonly<z.output<typeof options>>;
const DEFAULTS: YtdlpOptions = { channel: 'stable', dailyAt: null };

/** Keeps a yt-dlp of the server's own up to date: the release's zipapp, checked against its signed checksums. */
export interface YtdlpUpdates {
  readonly options: () => Promise<YtdlpOptions>;
  readonly setOptions: (next: YtdlpOptions) => Promise<void>;
  /** Fetches the newest release, where it is not here yet. @throws Refusal with a sentence; what was here stays then. */
  readonly update: () => Promise<{ readonly version: string; readonly isNew: boolean }>;
  /** Updates where the time of the day has come. Called every minute; never throws. */
  readonly tick: () => Promise<void>;
}

interface YtdlpUpdatesDeps {
  readonly dataDir: string;
  readonly egress: Pick<Egress, 'fetch'>;
  readonly children: Pick<Children, 'run'>;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  readonly releases?: YtdlpReleases | undefined;
}

const KIB = 1024;
const MAX_PROGRAM_BYTES = 32 * KIB * KIB;
const TRY_LIMITS = { wallMs: 60_000, cpuSeconds: 30, fileBytes: 16 * KIB * KIB, outputBytes: KIB * KIB };

/** @throws Refusal unless exactly these bytes were signed with the key. */
const verifySignature = async (signed: Uint8Array, signature: Uint8Array, armoredKey: string): Promise<void> => {
  // Large, and wanted by the owner's press alone.
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

export const createYtdlpUpdates = (deps: YtdlpUpdatesDeps): YtdlpUpdates => {
  const { dataDir, egress, children, log, now, releases = RELEASES } = deps;
  const program = managedYtdlp(dataDir);
  const folder = dirname(program);
  const [previous, candidate, settings] = [`${program}.previous`, `${program}.new`, join(folder, 'yt-dlp.json')];

  let stored: Promise<YtdlpOptions> | undefined;
  const readOptions = async (): Promise<YtdlpOptions> => {
    try {
      return options.parse(JSON.parse(await readFile(settings, 'utf8')));
    } catch {
      return DEFAULTS; // not there, or not ours to read
    }
  };
  const currentOptions = (): Promise<YtdlpOptions> => (stored ??= readOptions());

  const fetchFile = async (base: string, name: string, maxBytes: number): Promise<Uint8Array> => {
    const { status, body } = await egress.fetch(`${base}/${name}`, { maxBytes, timeoutMs: 300_000 });
    if (status !== 200) throw new Refusal(`The release of yt-dlp could not be fetched: its site answered ${status}`);
    return body;
  };

  const versionOf = async (path: string): Promise<string | undefined> => {
    const work = join(folder, 'try');
    await mkdir(work, { recursive: true, mode: 0o700 });
    try {
      const { code, output, errors } = await children.run({
        program: path,
        args: ['--ignore-config', '--version'],
        folder: work,
        limits: TRY_LIMITS,
        reads: [path],
      });
      if (code !== 0) log.warn({ errors: errors.slice(-300) }, 'ytdlp.update.refused');
      return code === 0 ? versionOfYtdlp(output) : undefined;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  };

  /** @throws Refusal where the release does not run here, or is older than the one that does. */
  const install = async (bytes: Uint8Array): Promise<string> => {
    await writeDurably(candidate, bytes, 0o755);
    try {
      const version = await versionOf(candidate);
      if (version === undefined)
        throw new Refusal(
          'The newest yt-dlp does not run on this server, so the one before stays: it needs Python 3.10',
        );
      const isThere = await stat(program).then(
        () => true,
        () => false,
      );
      const current = isThere ? await versionOf(program) : undefined;
      // An old release is signed just as well. Nightly builds of a day have a fourth number.
      if (current !== undefined && version.slice(0, 10) < current.slice(0, 10) && current.length === 10)
        throw new Refusal(`The site offers yt-dlp ${version}, which is older than ${current}, so it was not installed`);
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

  const updateNow = async (): Promise<{ version: string; isNew: boolean }> => {
    const base = releases[(await currentOptions()).channel];
    await mkdir(folder, { recursive: true, mode: 0o700 });
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
    const version = await install(bytes);
    log.info({ version }, 'ytdlp.update.installed');
    return { version, isNew: true };
  };

  let updating: ReturnType<typeof updateNow> | undefined;
  const update = (): ReturnType<typeof updateNow> => {
    updating ??= updateNow().finally(() => {
      updating = undefined;
    });
    return updating;
  };

  let tickedOn = '';
  return {
    options: currentOptions,
    setOptions: async (next) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeDurably(`${settings}.new`, JSON.stringify(options.parse(next)), 0o600);
      await rename(`${settings}.new`, settings);
      stored = Promise.resolve(next);
    },
    update,
    tick: async () => {
      const { dailyAt } = await currentOptions();
      if (dailyAt === null) return;
      const here = now().toZonedDateTimeISO(Temporal.Now.timeZoneId());
      const today = here.toPlainDate().toString();
      if (tickedOn === today || here.toPlainTime().toString().slice(0, 5) < dailyAt) return;
      // A server that was started behind the time of the day waits for the next one.
      const isLate = tickedOn === '' && here.toPlainTime().toString().slice(0, 5) !== dailyAt;
      tickedOn = today;
      if (isLate) return;
      await update().catch((error: unknown) => log.warn({ err: error }, 'ytdlp.update.failed'));
    },
  };
};
