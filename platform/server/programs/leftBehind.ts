import { readdir, readFile } from 'node:fs/promises';
import { sep } from 'node:path';

const wordsOf = (pid: string): Promise<readonly string[]> =>
  readFile(`/proc/${pid}/cmdline`, 'utf8').then(
    (text) => text.split('\0'),
    () => [], // gone meanwhile
  );

/**
 * Ends what an earlier server has left of its sandboxes over the folders in `folder`. Programs die with their server; but where it was killed in the
 * moment in which bubblewrap starts, the second of bubblewrap's processes waits for the word of the first one for ever.
 */
export const killOrphanedSandboxes = async (folder: string): Promise<void> => {
  const all = await readdir('/proc').catch(() => []); // a system without it has no bubblewrap
  for (const pid of all.filter((name) => /^\d+$/.test(name))) {
    const [program, ...words] = await wordsOf(pid);
    if (program !== 'bwrap' || !words.some((word) => word.startsWith(folder + sep))) continue;
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
};
