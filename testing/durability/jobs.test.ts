import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { getMediaPath } from '../kits/media/media.ts';

/**
 * Starts a server that processes songs and stops in the stage `stopAt`.
 * `waitForLine` resolves when it prints a line with this start.
 */
async function startSongServer(dataDir: string, source: string, stopAt = '') {
  const songServer: ChildProcess = spawn(
    process.execPath,
    [fileURLToPath(new URL('../killed/song.ts', import.meta.url)), dataDir, source, stopAt],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void songServer.kill('SIGKILL'));
  const lines: string[] = [];
  const waiters = new Set<{ readonly start: string; readonly onLine: (line: string) => void }>();
  createInterface({ input: songServer.stdout ?? process.stdin }).on('line', (line) => {
    lines.push(line);
    for (const waiter of waiters) if (line.startsWith(waiter.start)) waiter.onLine(line);
  });
  return {
    lines,
    waitForLine: (start: string): Promise<string> => {
      const printedLine = lines.find((line) => line.startsWith(start));
      return printedLine === undefined
        ? new Promise((resolve) => void waiters.add({ start, onLine: resolve }))
        : Promise.resolve(printedLine);
    },
    add: (): void => void songServer.stdin?.write('one more\n'),
    kill: async (): Promise<void> => {
      const closed = once(songServer, 'close');
      songServer.kill('SIGKILL');
      await closed;
    },
  };
}

/** Returns the ids of processes whose working directory is in a folder. */
const listProcessesIn = (folder: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      return false; // Ended in the meantime, not a process, or not ours.
    }
  });

/**
 * Returns false for a sandbox (bubblewrap) that has not started its program yet.
 * It does nothing, and the next server ends it.
 */
function isProgram(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'bwrap';
  } catch {
    return false; // Ended in the meantime.
  }
}

interface Song {
  readonly id: number;
  readonly bytes: number;
}

const STAGES = ['fetch', 'behind-probe', 'behind-picture', 'placed'] as const;

// A server in its own process is killed and restarted many times.
test(
  'a server killed in any stage leaves no process and no partial song, and the next one continues',
  { timeout: 240_000 },
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
    const source = await getMediaPath('song.mp3');
    try {
      const workFolder = join(dataDir, 'work');
      let leftoverPids: readonly string[] = [];
      for (const [index, stage] of STAGES.entries()) {
        const end = `${stage} ${index + 1}`;
        const songServer = await startSongServer(dataDir, source, end);
        // Jobs of the previous server are claimed automatically and immediately.
        if (index > 0) await songServer.waitForLine(`done ${index}`);
        expect(songServer.lines).not.toContain(`failed ${index}`);
        await songServer.waitForLine('ready');
        await expect.poll(() => listProcessesIn(workFolder).filter((pid) => leftoverPids.includes(pid))).toEqual([]);
        songServer.add();
        await songServer.waitForLine(end);
        await songServer.kill();
        await expect.poll(() => listProcessesIn(workFolder).filter(isProgram)).toEqual([]);
        leftoverPids = listProcessesIn(workFolder);
        expect(await readdir(workFolder)).toEqual([String(index + 1)]);
      }
      const last = await startSongServer(dataDir, source);
      await last.waitForLine(`done ${STAGES.length}`);
      await last.kill();

      const database = new Sqlite(join(dataDir, 'data.db'), { readonly: true });
      const songs = database.prepare('select id, bytes from song order by id').all() as Song[];
      const attempts = database.prepare('select attempt from job order by id').pluck().all();
      database.close();
      const songFiles = await readdir(join(dataDir, 'music'));
      expect(songFiles.toSorted()).toEqual(STAGES.map((_, index) => `${index + 1}.mp3`));
      const sizes = await Promise.all(songFiles.map(async (name) => (await stat(join(dataDir, 'music', name))).size));
      expect(songs.map(({ bytes }) => bytes)).toEqual(sizes);
      expect(new Set(sizes).size).toBe(1);
      expect(attempts).toEqual(STAGES.map(() => 2));
    } finally {
      await rm(dataDir, { recursive: true });
    }
  },
);
