import type { Files } from '../files.ts';
import type { JobStore } from './store.ts';

/** Folders that another try of a failed job goes on with: of an account, and for how long. */
const MOST_KEPT = 3;
const KEPT_MS = 86_400_000;

interface Parts {
  readonly store: JobStore;
  readonly files: Files;
  readonly at: () => number;
}

type Failed = readonly { readonly id: number; readonly account: number }[];

const firstOfEach = (failed: Failed): readonly number[] => {
  const counts = new Map<number, number>();
  const kept: number[] = [];
  for (const { id, account } of failed) {
    const count = (counts.get(account) ?? 0) + 1;
    counts.set(account, count);
    if (count <= MOST_KEPT) kept.push(id);
  }
  return kept;
};

/** Clears away the folders of jobs that are over. */
export const jobFolders = ({ store, files, at }: Parts) => {
  const sweepBut = (keptMs: number): Promise<void> =>
    files.sweepWork(async (there) => {
      const all = await store.standing(there);
      const open = all.filter(({ state }) => state !== 'failed');
      const failed = all.filter(({ state, ended }) => state === 'failed' && (ended ?? 0) > at() - keptMs);
      return new Set([...open.map(({ id }) => id), ...firstOfEach(failed)]);
    });
  return {
    /** But for those that failed a short while ago. */
    sweep: (): Promise<void> => sweepBut(KEPT_MS),
    /** Those too: there is need of room. */
    makeRoom: (): Promise<void> => sweepBut(0),
  };
};
