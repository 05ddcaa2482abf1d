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
async function startMaker(dataDir: string, source: string, stopAt = '') {
  const maker: ChildProcess = spawn(
    process.execPath,
    [fileURLToPath(new URL('../killed/song.ts', import.meta.url)), dataDir, source, stopAt],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void maker.kill('SIGKILL'));
  const lines: string[] = [];
  const waiting = new Set<{ readonly start: string; readonly heard: (line: string) => void }>();
  createInterface({ input: maker.stdout ?? process.stdin }).on('line', (line) => {
    lines.push(line);
    for (const one of waiting) if (line.startsWith(one.start)) one.heard(line);
  });
  return {
    lines,
    waitForLine: (start: string): Promise<string> => {
      const there = lines.find((line) => line.startsWith(start));
      return there === undefined
        ? new Promise((received) => void waiting.add({ start, heard: received }))
        : Promise.resolve(there);
    },
    add: (): void => void maker.stdin?.write('one more\n'),
    kill: async (): Promise<void> => {
      const closed = once(maker, 'close');
      maker.kill('SIGKILL');
      await closed;
    },
  };
}

/** Processes that work in a folder. */
const workingIn = (folder: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      return false; // Ended in the meantime, not a process, or not ours.
    }
  });

/** Excludes what bubblewrap had not started yet: it does nothing, and the next server ends it. */
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
      const work = join(dataDir, 'work');
      let left: readonly string[] = [];
      for (const [at, stage] of STAGES.entries()) {
        const end = `${stage} ${at + 1}`;
        const maker = await startMaker(dataDir, source, end);
        // Jobs of the previous server are claimed automatically and immediately.
        if (at > 0) await maker.waitForLine(`done ${at}`);
        expect(maker.lines).not.toContain(`failed ${at}`);
        await maker.waitForLine('ready');
        await expect.poll(() => workingIn(work).filter((pid) => left.includes(pid))).toEqual([]);
        maker.add();
        await maker.waitForLine(end);
        await maker.kill();
        await expect.poll(() => workingIn(work).filter(isProgram)).toEqual([]);
        left = workingIn(work);
        expect(await readdir(work)).toEqual([String(at + 1)]);
      }
      const last = await startMaker(dataDir, source);
      await last.waitForLine(`done ${STAGES.length}`);
      await last.kill();

      const database = new Sqlite(join(dataDir, 'data.db'), { readonly: true });
      const songs = database.prepare('select id, bytes from song order by id').all() as Song[];
      const tries = database.prepare('select attempt from job order by id').pluck().all();
      database.close();
      const songFiles = await readdir(join(dataDir, 'music'));
      expect(songFiles.toSorted()).toEqual(STAGES.map((_, at) => `${at + 1}.mp3`));
      const sizes = await Promise.all(songFiles.map(async (name) => (await stat(join(dataDir, 'music', name))).size));
      expect(songs.map(({ bytes }) => bytes)).toEqual(sizes);
      expect(new Set(sizes).size).toBe(1);
      expect(tries).toEqual(STAGES.map(() => 2));
    } finally {
      await rm(dataDir, { recursive: true });
    }
  },
);
