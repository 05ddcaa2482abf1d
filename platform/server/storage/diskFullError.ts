import { AsyncLocalStorage } from 'node:async_hooks';
import { getErrorCode } from './errorCode.ts';

/** What a user reads if there was no space, with what to do about it. */
export const DISK_FULL_MESSAGE =
  'The disk of this server is full, so nothing was saved. Ask its owner to free some space, then try again';

/** Answer to everything that found no space. */
export const diskFullAnswer = { message: DISK_FULL_MESSAGE, code: 'disk.full' } as const;

/**
 * A write that was not tried, because the remaining space is for more important ones. It is no refusal, because a
 * refusal would be stored as the result of a request, and this one may be repeated later.
 */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';
  constructor() {
    super('the reserve is in use');
  }
}

/**
 * Codes of the system, of SQLite and of PostgreSQL. SQLITE_IOERR_SHMSIZE means that there was no space for the index of
 * the log.
 */
const SYSTEM_CODES = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', '53100'];
/** Codes of S3-compatible servers: Ceph, and MinIO. */
const BUCKET_CODES = ['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded'];
const DISK_FULL_CODES = new Set([...SYSTEM_CODES, ...BUCKET_CODES]);

/** Returns whether a code means that the disk is full or the user's quota is used up. */
export function isDiskFullCode(code: string): boolean {
  return DISK_FULL_CODES.has(code);
}

/** Returns whether something failed because there was no space, also if the error was wrapped. */
export function isDiskFullError(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof DiskFullError || isDiskFullCode(getErrorCode(cause))) return true;
  return false;
}

const deferrableScope = new AsyncLocalStorage<boolean>();

/**
 * Runs work whose writes fail while the reserve is in use, so that the reserve lasts for logins and deletions.
 * The writes of all other work may use it.
 */
export function withDeferrableWrites<T>(work: () => T): T {
  return deferrableScope.run(true, work);
}

/** Returns whether the current work runs in `withDeferrableWrites`. */
export function areWritesDeferrable(): boolean {
  return deferrableScope.getStore() === true;
}

/** Runs a write that others do not depend on, such as the time of the last use. On a full disk, it is left out. */
export async function writeUnlessFull(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isDiskFullError(error)) throw error;
  }
}
