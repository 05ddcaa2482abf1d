import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '#platform/contract/client.ts';
import { log } from '#platform/contract/session.ts';
import { listBackups, readChecksums } from '#platform/server/backup/backups.ts';
import { computeSha256 } from '#platform/server/storage/sha256.ts';
import { startDemo } from '../../apps/demo/demo.ts';
import { findFreePort, startServerProgram } from '../journeys/program.ts';
import { startS3Server, TEST_BUCKET } from '../kits/server/s3Server.ts';
import { getServerProgram } from '../kits/server/serverProgram.ts';
import type { FaultSuite, SuiteResult } from './suite.ts';

const YEAR_DAYS = 365;
const FILE_COUNT = 200;
const FILE_BYTES = 5_000_000;
const MAX_SECONDS = 120;

/** Fills a data folder with the data of a year, and with files of 1 GB. */
async function fillYear(folder: string): Promise<{ readonly dataDir: string; readonly password: string }> {
  const now = Temporal.Now.zonedDateTimeISO();
  const demo = await startDemo({ host: '127.0.0.1', port: 0, folder, days: YEAR_DAYS, now, print: () => undefined });
  await demo.stop();
  const dataDir = join(folder, 'data');
  await mkdir(join(dataDir, 'music'), { recursive: true });
  for (let index = 1; index <= FILE_COUNT; index += 1)
    await writeFile(join(dataDir, `music/drill${index}.mp3`), randomBytes(FILE_BYTES));
  return { dataDir, password: demo.password };
}

/** Loses a disk, and restores the copy of its data on a bare machine as docs/running.md says. */
async function playDisaster(
  what: string,
  copyTo: string,
  settings: Readonly<Record<string, string>>,
  say: (line: string) => void,
): Promise<SuiteResult> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
  try {
    const { dataDir, password } = await fillYear(folder);
    const cli = await getServerProgram('cli');
    const run = (dataFolder: string, words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      promisify(execFile)(process.execPath, [cli, ...words], {
        env: { PATH: process.env['PATH'], DATA_DIR: dataFolder, ...settings, ...more },
      });
    await run(dataDir, ['backup'], { BACKUP_COPY_TO: copyTo });
    const [backup] = await listBackups(dataDir);
    if (!backup) throw new Error('there is no backup');
    const digests = await readChecksums(backup);
    await rm(dataDir, { recursive: true });

    const newDataDir = join(folder, 'new');
    const start = performance.now();
    await run(newDataDir, ['restore', copyTo, '--yes']);
    const seconds = (performance.now() - start) / 1000;
    const failures: string[] = [];
    for (const { path, sha256 } of digests) {
      const actual = await computeSha256(join(newDataDir, path.replace(/^files\//, ''))).catch(() => 'missing');
      if (actual !== sha256) failures.push(`${path} is not the same`);
    }
    const port = await findFreePort();
    await using _ = await startServerProgram(newDataDir, port, { program: await getServerProgram('main') });
    await createClient({ origin: `http://127.0.0.1:${port}` })(log, { username: 'anna', password });
    const figures = `${digests.length} files of ${(backup.bytes / 1e9).toFixed(2)} GB restored in ${seconds.toFixed(0)} s`;
    say(`${what}: ${figures}`);
    if (seconds > MAX_SECONDS) failures.push(figures);
    return { what: `a lost disk, restored from ${what}`, caseCount: digests.length, failures };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The data of a year is copied, its disk is wiped, and the copy is restored on a bare machine. */
export const disasterSuite: FaultSuite = {
  name: 'disaster',
  run: async (say) => {
    const disk = await mkdtemp(join(tmpdir(), 'pegboard-'));
    const bucketFolder = await mkdtemp(join(tmpdir(), 'pegboard-'));
    try {
      const onDisk = await playDisaster('a folder', disk, {}, say);
      await using s3 = await startS3Server(bucketFolder);
      const { endpoint, accessKey, secretKey } = s3.access;
      const settings = {
        BACKUP_PASSPHRASE: 'correct horse battery staple',
        S3_ENDPOINT: endpoint,
        S3_ACCESS_KEY_ID: accessKey,
        S3_SECRET_ACCESS_KEY: secretKey,
      };
      return [onDisk, await playDisaster('an encrypted bucket', `s3://${TEST_BUCKET}/home`, settings, say)];
    } finally {
      for (const folder of [disk, bucketFolder]) await rm(folder, { recursive: true });
    }
  },
};
