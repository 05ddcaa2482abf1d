import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, rm, mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import Sqlite from 'better-sqlite3';
import { Refusal } from '#platform/contract/refusal.ts';
import { isBackupOverdue, parseBackupInterval } from '#platform/server/backup/backupPolicy.ts';
import { findNewest, listBackups } from '#platform/server/backup/backups.ts';
import { openBackupStates } from '#platform/server/backup/backupState.ts';
import { openRedis } from '#platform/server/cluster/redis.ts';
import {
  type CertificateAuthority,
  getAuthorityPath,
  isReadableByOthers,
  readAuthority,
} from '#platform/server/https/authority.ts';
import { createLogger } from '#platform/server/operations/logger.ts';
import { type ProcessRunner, ProgramNotFoundError } from '#platform/server/programs/childProcesses.ts';
import { createMediaPrograms } from '#platform/server/programs/mediaPrograms.ts';
import { type ProcessRunnerOptions, createProcessRunner } from '#platform/server/programs/processRunner.ts';
import { getManagedYtdlpPath, findYtdlpProblem } from '#platform/server/programs/programVersions.ts';
import { computeWarningBytes, parseDiskWarning, readFreeBytes } from '#platform/server/storage/diskSpace.ts';
import { isBuilt } from './buildStamp.ts';
import { type Config, isHttpsRedundant, toFilesBucket } from './config.ts';
import { requestFromRunningServer } from './controlSocket.ts';
import { checkFilesBucket } from './filesBucket.ts';
import { isNodeSupported, MIN_NODE_MAJOR } from './nodeVersion.ts';
import { serverTools } from './tools.ts';

const VERSION_LIMITS = { timeoutMs: 10_000, maxCpuSeconds: 5, maxFileBytes: 1024 * 1024 };

/** @param problem why the program can't be used; '' if it can. */
const toFinding = (problem: string, description: string, consequence: string): DoctorFinding => ({
  isOk: problem === '',
  text: problem === '' ? description : `${problem} (without it ${consequence})`,
});

/** Returns a version such as ` 0.8.0`; '' if it does not report one. */
async function getBubblewrapVersion(processRunner: ProcessRunner): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
  try {
    const { output } = await processRunner.run({
      program: 'bwrap',
      args: ['--version'],
      folder,
      limits: VERSION_LIMITS,
    });
    return /\s[\d.]+/.exec(output)?.[0] ?? '';
  } catch (error) {
    if (error instanceof ProgramNotFoundError) return '';
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkSandbox(processRunner: ProcessRunner): Promise<DoctorFinding> {
  const isAvailable = (await processRunner.getSandbox()) === 'bwrap';
  const problem =
    'bwrap is missing or not allowed to create namespaces. Run apt-get install bubblewrap, and allow user namespaces if this is a container';
  const consequence = "yt-dlp and ffmpeg run with all permissions of the server's user";
  return toFinding(
    isAvailable ? '' : problem,
    isAvailable ? `bwrap${await getBubblewrapVersion(processRunner)}` : '',
    consequence,
  );
}

interface ProgramSettings {
  readonly YTDLP_PATH?: string | undefined;
  readonly FFMPEG_PATH?: string | undefined;
  readonly DATA_DIR?: string | undefined;
}

/** Checks the media programs, with their versions and what does not work without them. */
export async function checkPrograms(
  { YTDLP_PATH: ytdlpPath, FFMPEG_PATH: ffmpegPath, DATA_DIR: dataDir }: ProgramSettings,
  options: Partial<ProcessRunnerOptions> = {},
): Promise<readonly DoctorFinding[]> {
  const log = createLogger({ level: 'silent' });
  const processRunner = createProcessRunner({ log, ffmpegPath, ...options });
  const managedPath = dataDir === undefined ? undefined : getManagedYtdlpPath(dataDir);
  const programs = createMediaPrograms({
    processRunner,
    ytdlpPath,
    managedPath,
    ffmpegPath,
    log,
    now: Temporal.Now.instant,
  });
  try {
    const ytdlp = await programs.findYtdlp();
    const advice = await programs.getUpdateAdvice();
    const update = `${advice}. 'Update yt-dlp' on the music page installs the newest version`;
    const scripting = await programs.describeScripting();
    const ffmpegProblem = await programs.getSetupProblem('convert');
    const { version = '' } = await programs.findFfmpeg();
    return [
      toFinding(
        findYtdlpProblem(ytdlp)?.forOwner ?? '',
        [advice === '' ? `yt-dlp ${ytdlp.version ?? ''}` : update, scripting].filter((one) => one !== '').join(', '),
        'songs can only be uploaded, not downloaded from links',
      ),
      toFinding(ffmpegProblem, `ffmpeg ${version}`, 'new songs and recordings are not possible'),
      await checkSandbox(processRunner),
    ];
  } finally {
    await programs.stop();
    await processRunner.stop();
  }
}

/** Result of one check. */
export interface DoctorFinding {
  readonly isOk: boolean;
  /** One line: what was checked, and what to do if it is not right. */
  readonly text: string;
}

const MIB = 1024 * 1024;
const FSYNC_ROUNDS = 20;
/** Faster than any disk that waits for writes: it may lose data in a power cut. */
const MIN_FSYNC_MS = 0.02;
const MAX_FSYNC_MS = 50;
const ANSWER_TIMEOUT_MS = 15_000;
const YEAR_HOURS = 365 * 24;

const checkNode = (): DoctorFinding => ({
  isOk: isNodeSupported(),
  text: `Node ${process.version} (${MIN_NODE_MAJOR} or newer is required)`,
});

async function checkDisk({ DATA_DIR: dataDir, DISK_WARNING }: Config): Promise<DoctorFinding> {
  const freeBytes = await readFreeBytes(dataDir);
  const warning = parseDiskWarning(DISK_WARNING);
  const warningBytes = warning === undefined ? 0 : await computeWarningBytes(dataDir, warning);
  const threshold = `DISK_WARNING is ${Math.round(warningBytes / MIB)} MiB`;
  return {
    isOk: freeBytes >= warningBytes,
    text: `disk: ${Math.round(freeBytes / MIB)} MiB free in ${dataDir} (${threshold}, downloads need 2 GiB, storing files needs 500 MiB)`,
  };
}

async function checkFsync(dataDir: string): Promise<DoctorFinding> {
  const path = join(dataDir, 'doctor.tmp');
  const times: number[] = [];
  try {
    await using file = await open(path, 'w', 0o600);
    for (let round = 0; round < FSYNC_ROUNDS; round += 1) {
      await file.write('x'.repeat(4096), 0);
      const start = performance.now();
      await file.sync();
      times.push(performance.now() - start);
    }
  } finally {
    await rm(path, { force: true });
  }
  const median = times.toSorted((one, other) => one - other)[FSYNC_ROUNDS / 2] ?? 0;
  const text = `fsync: ${median.toFixed(2)} ms`;
  if (median < MIN_FSYNC_MS)
    return { isOk: false, text: `${text}, which is implausibly fast: a power failure may lose confirmed writes` };
  if (median > MAX_FSYNC_MS) return { isOk: false, text: `${text}, which is slow: writes are delayed` };
  return { isOk: true, text };
}

/** Checks in a temporary database whether SQLite accepts the pragmas in this folder. */
async function checkPragmas(dataDir: string): Promise<DoctorFinding> {
  const path = join(dataDir, 'doctor.db');
  const file = new Sqlite(path);
  try {
    file.pragma('journal_mode = WAL');
    file.pragma('synchronous = FULL');
    file.exec('create table if not exists probe (id integer)');
    const journalMode = file.pragma('journal_mode', { simple: true });
    const synchronous = file.pragma('synchronous', { simple: true });
    return {
      isOk: journalMode === 'wal' && synchronous === 2,
      text: `SQLite: journal ${String(journalMode)}, synchronous ${String(synchronous)} (wal and 2 are required)`,
    };
  } finally {
    file.close();
    await Promise.all(['', '-wal', '-shm'].map((suffix) => rm(path + suffix, { force: true })));
  }
}

function checkClock(): DoctorFinding {
  const now = Temporal.Now.instant();
  return {
    isOk: Temporal.Instant.compare(now, Temporal.Instant.from('2026-01-01T00:00:00Z')) > 0,
    text: `clock: ${now.toString({ smallestUnit: 'second' })}, zone ${Temporal.Now.timeZoneId()}`,
  };
}

const isServerRunning = async (dataDir: string): Promise<boolean> =>
  (await requestFromRunningServer(dataDir, { words: ['user', 'list'], owner: false, yes: false, mend: false })) !==
  undefined;

const describeServer = (isRunning: boolean): DoctorFinding => ({
  isOk: true,
  text: isRunning ? 'a server is using this data folder' : 'no server is using this data folder',
});

const checkBuild = (): DoctorFinding => ({
  isOk: isBuilt(),
  text: isBuilt() ? 'pages and agent are built' : 'pages and agent are not built from these sources. Run npm run build',
});

function checkProxy({ PUBLIC_ORIGIN, TRUST_PROXY }: Config): DoctorFinding {
  const isOk = PUBLIC_ORIGIN.length === 0 || TRUST_PROXY.length > 0;
  return {
    isOk,
    text: isOk
      ? `proxy: ${TRUST_PROXY.length === 0 ? 'none trusted' : TRUST_PROXY.join(', ')}`
      : 'proxy: PUBLIC_ORIGIN is set but TRUST_PROXY is not, so all visitors count as one address',
  };
}

async function checkBackups({ DATA_DIR: dataDir, BACKUP_EVERY }: Config): Promise<DoctorFinding> {
  const now = Temporal.Now.instant();
  const newest = findNewest(await listBackups(dataDir), now);
  const intervalMs = parseBackupInterval(BACKUP_EVERY);
  if (intervalMs === undefined)
    return { isOk: false, text: 'backups: none are scheduled, because BACKUP_EVERY is off' };
  if (!newest) return { isOk: true, text: 'backups: none yet. The first one is made in the night after the start' };
  const text = `backups: the newest one is of ${newest.created.toString()}`;
  const isOverdue = isBackupOverdue(newest.created, { intervalMs, started: now, zone: 'UTC' }, now);
  return {
    isOk: !isOverdue,
    text: isOverdue ? `${text}, which is too old. Run npm run pegboard -- backup, and see what it says` : text,
  };
}

async function checkBackupCopies(config: Config): Promise<DoctorFinding> {
  const { DATA_DIR: dataDir, BACKUP_COPY_TO: address, BACKUP_PASSPHRASE: passphrase } = config;
  if (address === undefined)
    return { isOk: true, text: 'copies of backups: none. Set BACKUP_COPY_TO, so that a broken disk loses nothing' };
  const state = await openBackupStates(dataDir).copies.read();
  const { newest, failure } = state?.address === address ? state : {};
  if (failure) return { isOk: false, text: `copies of backups: the last attempt failed: ${failure.message}` };
  if (address.startsWith('s3://') && passphrase === undefined)
    return { isOk: false, text: `copies of backups: not encrypted in ${address}. Set BACKUP_PASSPHRASE` };
  if (await isOnSameDisk(dataDir, address))
    return { isOk: false, text: `copies of backups: ${address} is on the same disk as ${dataDir}. Use another one` };
  return {
    isOk: true,
    text: newest ? `copies of backups: ${newest.id} is in ${address}` : `copies of backups: none yet in ${address}`,
  };
}

async function isOnSameDisk(dataDir: string, folder: string): Promise<boolean> {
  const states = await Promise.all([dataDir, folder].map((path) => stat(path).catch(() => undefined)));
  return states[0] !== undefined && states[0].dev === states[1]?.dev;
}

async function checkRedis({ REDIS_URL: url }: Config): Promise<readonly DoctorFinding[]> {
  if (url === undefined) return [];
  try {
    await using redis = await openRedis({ url, prefix: 'doctor:', log: createLogger({ level: 'silent' }) });
    const version = /redis_version:(\S+)/.exec(await redis.run((client) => client.info('server')))?.[1] ?? 'unknown';
    return [{ isOk: true, text: `Redis: version ${version}` }];
  } catch (error) {
    return [{ isOk: false, text: error instanceof Error ? error.message : String(error) }];
  }
}

const formatDay = (instant: Temporal.Instant): string => instant.toString().slice(0, 10);

async function checkAuthority(
  dataDir: string,
  { name, fingerprint, notAfter }: CertificateAuthority,
): Promise<DoctorFinding> {
  const text = `https: certificate authority '${name}', valid until ${formatDay(notAfter)}, ${fingerprint}`;
  if (await isReadableByOthers(dataDir))
    return { isOk: false, text: `${text}. Other users can read its key. Run chmod 600 ${getAuthorityPath(dataDir)}` };
  const remainingHours = Temporal.Now.instant().until(notAfter).total('hours');
  return remainingHours > YEAR_HOURS
    ? { isOk: true, text }
    : { isOk: false, text: `${text}. It expires soon, and every phone must trust the next one again` };
}

/** Checks the certificate of the running server, as a client does. */
async function checkLeafCertificate(
  { HTTPS_PORT = 0, HOST }: Config,
  authority: CertificateAuthority,
): Promise<DoctorFinding> {
  const host = ['::', '0.0.0.0'].includes(HOST) ? '127.0.0.1' : HOST;
  const ca = authority.certificate.toString();
  // The certificate lists all hosts, whichever name is requested.
  const socket = connect({ host, port: HTTPS_PORT, ca, checkServerIdentity: () => undefined });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    const certificate = socket.getPeerX509Certificate();
    const names = (certificate?.subjectAltName ?? '').replaceAll(/(IP Address|DNS):/g, '');
    return {
      isOk: true,
      text: `https: certificate valid until ${certificate?.validToDate.toISOString().slice(0, 10)} for ${names}`,
    };
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'no response';
    return { isOk: false, text: `https: port ${HTTPS_PORT} does not respond correctly (${reason})` };
  } finally {
    socket.destroy();
  }
}

/** Checks HTTPS, unless HTTPS_PORT is off. */
async function checkHttps(config: Config, isRunning: boolean): Promise<readonly DoctorFinding[]> {
  const { DATA_DIR: dataDir, HTTPS_PORT } = config;
  if (HTTPS_PORT === undefined) return [];
  try {
    const authority = await readAuthority(dataDir);
    if (!authority) return [{ isOk: true, text: 'https: the next start creates the certificate authority' }];
    const findings = [await checkAuthority(dataDir, authority)];
    if (isHttpsRedundant(config))
      findings.push({ isOk: false, text: 'https: PUBLIC_ORIGIN is already https, so HTTPS_PORT is not needed' });
    // Only the running server knows a port that the system chose.
    return isRunning && HTTPS_PORT !== 0 ? [...findings, await checkLeafCertificate(config, authority)] : findings;
  } catch (error) {
    if (error instanceof Refusal) return [{ isOk: false, text: `https: ${error.message}` }];
    throw error;
  }
}

/** Runs a check. One that is not possible, as on a full disk, is a finding, too. */
async function runCheck(
  subject: string,
  check: () => Promise<DoctorFinding | readonly DoctorFinding[]>,
): Promise<readonly DoctorFinding[]> {
  try {
    return [await check()].flat();
  } catch (error) {
    return [
      { isOk: false, text: `${subject}: can't be checked (${error instanceof Error ? error.message : String(error)})` },
    ];
  }
}

/** Checks everything that the server depends on. */
export async function runChecks(config: Config): Promise<readonly DoctorFinding[]> {
  const { DATA_DIR: dataDir } = config;
  if (!existsSync(dataDir)) await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const isRunning = await isServerRunning(dataDir);
  return [
    checkNode(),
    ...(await runCheck('disk', () => checkDisk(config))),
    ...(await runCheck('SQLite', () => checkPragmas(dataDir))),
    ...(await runCheck('fsync', () => checkFsync(dataDir))),
    checkClock(),
    describeServer(isRunning),
    checkProxy(config),
    ...(await runCheck('backups', () => checkBackups(config))),
    ...(await runCheck('copies of backups', () => checkBackupCopies(config))),
    await checkFilesBucket(toFilesBucket(config), { dataDir, tools: serverTools }),
    ...(await checkRedis(config)),
    ...(await checkHttps(config, isRunning)),
    checkBuild(),
    ...(await runCheck('programs', () => checkPrograms(config))),
  ];
}
