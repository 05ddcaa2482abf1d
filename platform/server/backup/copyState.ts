import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { BACKUPS_FOLDER } from './backupFiles.ts';

/** An attempt that failed. */
export interface BackupFailure {
  readonly time: Temporal.Instant;
  /** A sentence for the owner. */
  readonly message: string;
}

/** What the server knows of the copies in one place. */
export interface CopyState {
  readonly address: string;
  /** The last backup that was copied, and when. */
  readonly newest: { readonly id: string; readonly time: Temporal.Instant } | undefined;
  /** Undefined if the last attempt succeeded. */
  readonly failure: BackupFailure | undefined;
}

const STATE_FILE = 'copies.json';
const instant = z.pipe(
  z.string(),
  z.transform((text) => Temporal.Instant.from(text)),
);
const stateSchema = z.object({
  address: z.string(),
  newest: z.optional(z.object({ id: z.string(), time: instant })),
  failure: z.optional(z.object({ time: instant, message: z.string() })),
});

/** Reads the state, which needs no request to the other server. Of another address it says nothing. */
export async function readCopyState(dataDir: string, address: string): Promise<CopyState> {
  try {
    const text = await readFile(join(dataDir, BACKUPS_FOLDER, STATE_FILE), 'utf8');
    const { newest, failure, ...state } = stateSchema.parse(JSON.parse(text));
    if (state.address === address) return { address, newest, failure };
  } catch {
    // Missing or damaged: then the newest backup is copied again, which sends what is missing there.
  }
  return { address, newest: undefined, failure: undefined };
}

/** Stores the state for the next start. */
export async function writeCopyState(dataDir: string, state: CopyState): Promise<void> {
  await writeFile(join(dataDir, BACKUPS_FOLDER, STATE_FILE), JSON.stringify(state), { mode: 0o600 });
}
