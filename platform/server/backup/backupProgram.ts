// Writes or copies a backup in a process of its own, which delays no request and can be ended at any moment. Reads a
// request from the standard input, because arguments would show passwords. Prints the result as JSON.
import { text } from 'node:stream/consumers';
import { Refusal } from '#platform/contract/refusal.ts';
import { getErrorCode } from '../storage/errorCode.ts';
import { loadOrCreateLinkSigner } from '../storage/linkSigner.ts';
import type { CopyTarget } from './backupCopies.ts';
import { lockBackups } from './backupLock.ts';
import type { BackupReason, BackupRetention } from './backupPolicy.ts';
import { readBackup } from './backups.ts';
import { type BackupSource, writeBackup } from './writeBackup.ts';

/** A request to write a backup. Its result is the path of the backup. */
export interface WriteRequest {
  readonly task: 'write';
  readonly source: BackupSource;
  readonly reason: BackupReason;
  /** ISO 8601. */
  readonly now: string;
}

/** A request to copy a backup. Its result is the number of copies that expired. */
export interface CopyRequest {
  readonly task: 'copy';
  readonly dataDir: string;
  readonly path: string;
  readonly target: CopyTarget;
  readonly retention: BackupRetention;
  readonly zone: string;
  /** ISO 8601. */
  readonly now: string;
}

/** What it prints at its end. */
export type ProgramResult =
  | { readonly result: unknown }
  | { readonly refused: string; readonly code: string }
  | { readonly error: string; readonly code: string };

const request = JSON.parse(await text(process.stdin)) as WriteRequest | CopyRequest;
const controller = new AbortController();
function stop(): void {
  controller.abort();
  // A copy may wait for another server, and has nothing to remove.
  if (request.task === 'copy') process.exit(1);
}
process.once('SIGTERM', stop);
// Without a server that waits for it, the backup is not needed.
process.stdout.once('error', stop);

async function execute(): Promise<unknown> {
  if (request.task === 'write') {
    const { source, reason, now } = request;
    const options = { reason, now: Temporal.Instant.from(now), signal: controller.signal };
    return (await writeBackup(source, options)).path;
  }
  // Loaded only for copies, because of the libraries for encryption and S3.
  const { copyBackup, createCopyStore } = await import('./backupCopies.ts');
  const { dataDir, path, target, retention, zone } = request;
  using _lock = await lockBackups(dataDir, 'copy');
  const signer = await loadOrCreateLinkSigner(dataDir);
  return await copyBackup(await readBackup(path), createCopyStore(target), {
    server: signer.deriveKey('copies of backups').toString('hex'),
    passphrase: target.passphrase,
    hashCost: target.hashCost,
    retention,
    zone,
    now: Temporal.Instant.from(request.now),
  });
}

async function run(): Promise<ProgramResult> {
  try {
    return { result: await execute() };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message, code: error.code };
    return { error: error instanceof Error ? error.message : String(error), code: getErrorCode(error) };
  }
}
process.stdout.write(JSON.stringify(await run()));
