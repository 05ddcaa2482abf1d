import { chmod, mkdir, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { Refusal } from '#platform/contract/refusal.ts';

/** By the magic number that Linux gives: where locks and flushes are not to be relied on. */
const REMOTE = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE'],
  [0x01021997, '9P'],
]);

/**
 * Makes the data folder, for its owner's eyes only, and warns of one that lies on another machine.
 * @throws Refusal when it cannot be made or made private.
 */
export const prepareDataFolder = async (dataDir: string, log: FastifyBaseLogger): Promise<void> => {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await chmod(dataDir, 0o700);
    const names = await readdir(dataDir);
    const ours = names.filter((name) => /^(data|lock)\.db(-(wal|shm|journal))?$/.test(name));
    await Promise.all(ours.map(async (name) => chmod(join(dataDir, name), 0o600)));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refusal(
      `The data folder ${dataDir} cannot be used (${why}). Set DATA_DIR to a folder of this user's own.`,
      {
        cause: error,
      },
    );
  }
  const remote = REMOTE.get((await statfs(dataDir)).type);
  if (remote !== undefined)
    log.warn({ dataDir, system: remote }, 'database.folder is not on a local disk: answered writes may be lost there');
};
