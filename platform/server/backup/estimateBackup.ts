import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrorCode } from '../storage/errorCode.ts';
import { listDataFiles } from './backupFiles.ts';
import { FILES_FOLDER, listBackups } from './backups.ts';
import type { BackupSource } from './writeBackup.ts';

async function readState(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined; // removed meanwhile
    throw error;
  }
}

/** Returns the space in bytes that the files of a new backup need at most, without the database. */
export async function estimateFileBytes({
  dataDir,
  changingFolders,
}: Pick<BackupSource, 'dataDir' | 'changingFolders'>): Promise<number> {
  const [newest] = await listBackups(dataDir);
  const { dev } = await stat(dataDir);
  let bytes = 0;
  for await (const { path, isChanging } of listDataFiles(dataDir, changingFolders)) {
    const state = await readState(join(dataDir, path));
    // Others are linked.
    const isInNewest = newest !== undefined && existsSync(join(newest.path, FILES_FOLDER, path));
    if (state && (isChanging || (state.dev !== dev && !isInNewest))) bytes += state.size;
  }
  return bytes;
}
