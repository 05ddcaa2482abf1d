import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { BACKUPS_FOLDER } from './backupFiles.ts';

const instant = z.codec(
  z.string(),
  z.custom<Temporal.Instant>((value) => value instanceof Temporal.Instant),
  {
    decode: (text) => Temporal.Instant.from(text),
    encode: String,
  },
);
const failureSchema = z.object({
  time: instant,
  /** A sentence for the owner. */
  message: z.string(),
});
/** An attempt that failed. */
export type BackupFailure = z.output<typeof failureSchema>;

const copySchema = z.object({
  address: z.string(),
  /** The last backup that was copied, and when. */
  newest: z.optional(z.object({ id: z.string(), time: instant })),
  /** Undefined if the last attempt succeeded. */
  failure: z.optional(failureSchema),
});
/** What the server knows of the copies in one place. */
export type CopyState = z.output<typeof copySchema>;

/** A state for the next start and for other instances. */
export interface StoredState<State> {
  /** Undefined if there is none. */
  readonly read: () => Promise<State | undefined>;
  readonly write: (state: State | undefined) => Promise<void>;
}

function openState<Schema extends z.ZodMiniType>(path: string, schema: Schema): StoredState<z.output<Schema>> {
  /** On a full disk, only this process knows the state. */
  let unsaved: z.output<Schema> | undefined;
  return {
    read: async () => {
      if (unsaved !== undefined) return unsaved;
      try {
        return schema.parse(JSON.parse(await readFile(path, 'utf8')));
      } catch {
        return undefined; // missing or damaged
      }
    },
    write: async (state) => {
      unsaved = state;
      try {
        if (state === undefined) await rm(path, { force: true });
        else {
          await writeFile(`${path}.new`, JSON.stringify(z.encode(schema, state)), { mode: 0o600 });
          await rename(`${path}.new`, path);
        }
        unsaved = undefined;
      } catch {
        // It stays in memory.
      }
    },
  };
}

/** Opens the states of the backups of a data folder. */
export function openBackupStates(dataDir: string) {
  const folder = join(dataDir, BACKUPS_FOLDER);
  return {
    /** The last attempt to make a backup, if it failed. */
    failure: openState(join(folder, 'failure.json'), failureSchema),
    copies: openState(join(folder, 'copies.json'), copySchema),
  };
}
