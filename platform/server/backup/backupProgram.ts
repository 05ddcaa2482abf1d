// Writes a backup in a process of its own, which delays no request and can be ended at any moment. Reads a request from
// the standard input, because arguments would show the password of the database. Prints the result as JSON.
import { text } from 'node:stream/consumers';
import { Refusal } from '#platform/contract/refusal.ts';
import { getErrorCode } from '../storage/errorCode.ts';
import type { BackupReason } from './backupPolicy.ts';
import { type BackupSource, writeBackup } from './writeBackup.ts';

/** A request to the program. */
export interface BackupRequest {
  readonly source: BackupSource;
  readonly reason: BackupReason;
  /** ISO 8601. */
  readonly now: string;
}

/** What it prints at its end. */
export type BackupResult =
  | { readonly path: string }
  | { readonly refused: string; readonly code: string }
  | { readonly error: string; readonly code: string };

const controller = new AbortController();
process.once('SIGTERM', () => controller.abort());
// Without a server that waits for it, the backup is not needed.
process.stdout.once('error', () => controller.abort());

const { source, reason, now } = JSON.parse(await text(process.stdin)) as BackupRequest;
async function run(): Promise<BackupResult> {
  try {
    const { path } = await writeBackup(source, {
      reason,
      now: Temporal.Instant.from(now),
      signal: controller.signal,
    });
    return { path };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message, code: error.code };
    return { error: error instanceof Error ? error.message : String(error), code: getErrorCode(error) };
  }
}
process.stdout.write(JSON.stringify(await run()));
