import type { FileStorage } from '../storage/fileStorage.ts';
import type { JobStore } from './jobStore.ts';

/** Folders that another try of a failed job goes on with: of an account, and for how long. */
const MAX_RETAINED_FOLDERS = 3;
const RETENTION_MS = 86_400_000;

interface JobFoldersDeps {
  readonly store: JobStore;
  readonly files: FileStorage;
  readonly at: () => number;
}

type FailedJobs = readonly { readonly id: number; readonly account: number }[];

const firstOfEach = (failed: FailedJobs): readonly number[] => {
  const counts = new Map<number, number>();
  const kept: number[] = [];
  for (const { id, account } of failed) {
    const count = (counts.get(account) ?? 0) + 1;
    counts.set(account, count);
    if (count <= MAX_RETAINED_FOLDERS) kept.push(id);
  }
  return kept;
};

/** Clears away the folders of jobs that are over. */
export function createJobFolders({ store, files, at }: JobFoldersDeps) {
  const sweepBut = (keptMs: number): Promise<void> =>
    files.removeStaleJobFolders(async (there) => {
      const all = await store.standing(there);
      const open = all.filter(({ state }) => state !== 'failed');
      const failed = all.filter(({ state, ended }) => state === 'failed' && (ended ?? 0) > at() - keptMs);
      return new Set([...open.map(({ id }) => id), ...firstOfEach(failed)]);
    });
  return {
    /** But for those that failed a short while ago. */
    sweep: (): Promise<void> => sweepBut(RETENTION_MS),
    /** Those too: there is need of room. */
    makeRoom: (): Promise<void> => sweepBut(0),
  };
}
