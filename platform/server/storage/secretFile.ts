import { randomBytes } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { hasErrorCode } from './errorCode.ts';

/**
 * Creates a file that only its owner can read, completely or not at all. A file that another process created
 * meanwhile remains.
 */
export async function createSecretFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporaryPath = `${path}.${randomBytes(6).toString('hex')}.new`;
  await writeFile(temporaryPath, content, { flag: 'wx', mode: 0o600, flush: true });
  try {
    await link(temporaryPath, path);
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(temporaryPath);
  }
}
