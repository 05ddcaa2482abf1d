import { DAY_MS } from '#platform/contract/duration.ts';
import type { FileStorage } from '../storage/fileStorage.ts';
import type { JobStore } from './jobStore.ts';

/** Folders of failed jobs that a retry continues with: number per account, and for how long. */
const MAX_RETAINED_FOLDERS = 3;
const RETENTION_MS = DAY_MS;

interface JobFoldersDeps {
  readonly store: JobStore;
  readonly files: FileStorage;
  readonly at: () => number;
}

type FailedJobs = readonly { readonly id: number; readonly account: number }[];

const selectRetained = (failed: FailedJobs): readonly number[] => {
  const counts = new Map<number, number>();
  const retainedIds: number[] = [];
  for (const { id, account } of failed) {
    const count = (counts.get(account) ?? 0) + 1;
    counts.set(account, count);
    if (count <= MAX_RETAINED_FOLDERS) retainedIds.push(id);
  }
  return retainedIds;
};

/** Creates the cleanup of folders of ended jobs. */
export function createJobFolders({ store, files, at }: JobFoldersDeps) {
  const removeExcept = (retentionMs: number): Promise<void> =>
    files.removeStaleJobFolders(async (jobIds) => {
      const jobs = await store.standing(jobIds);
      const open = jobs.filter(({ state }) => state !== 'failed');
      const failed = jobs.filter(({ state, ended }) => state === 'failed' && (ended ?? 0) > at() - retentionMs);
      return new Set([...open.map(({ id }) => id), ...selectRetained(failed)]);
    });
  return {
    /** Removes folders, except those of recently failed jobs. */
    sweep: (): Promise<void> => removeExcept(RETENTION_MS),
    /** Removes those as well, to free disk space. */
    freeSpace: (): Promise<void> => removeExcept(0),
  };
}
