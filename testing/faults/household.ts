import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MINUTE_MS, SECOND_MS } from '#platform/contract/duration.ts';
import { pairComputer } from '../bench/account.ts';
import { createEventDrafts } from '../bench/calendar.ts';
import { startFilledServer } from '../bench/filledServer.ts';
import { createScratchFolder, getResidentMib, percentile } from '../bench/measure.ts';
import { createSongFiles, fillLibrary } from '../kits/media/songs.ts';
import { fillCalendar } from '../kits/planning/manyEvents.ts';
import { playHouseholdDay } from '../load/household.ts';
import type { FaultSuite } from './suite.ts';

const DAY_MS = 10 * MINUTE_MS;
const DAYS = 2;
const SAMPLE_INTERVAL_MS = 5 * SECOND_MS;
const MAX_GROWTH = 1.1;
const COMPUTERS = 3;

interface Sample {
  readonly residentMib: number;
  /** After a garbage collection. */
  readonly heapMib: number;
}

const median = (values: readonly number[]): number => percentile(values, 0.5);

/** A household's days, each within ten minutes: the memory of the server does not grow. */
export const householdSuite: FaultSuite = {
  name: 'household',
  run: async (say) => {
    await using folder = await createScratchFolder();
    const probe = join(folder.path, 'memory.json');
    const computers: { readonly token: string; readonly target: string }[] = [];
    await using filled = await startFilledServer({
      env: {
        NODE_OPTIONS: `--import ${fileURLToPath(new URL('../load/memoryProbe.ts', import.meta.url))}`,
        MEMORY_PROBE: probe,
      },
      prepare: async (origin, owner) => {
        for (let index = 0; index < COMPUTERS; index += 1) computers.push(await pairComputer(origin, owner));
      },
      fill: async (database, dataDir) => {
        await fillCalendar(database, 1, createEventDrafts(2000));
        await createSongFiles(dataDir, await fillLibrary(database, 1, { songs: 1000, playlists: 10 }));
      },
    });
    const { server, owner } = filled;
    const pid = server.child.pid ?? 0;
    async function readHeapMib(): Promise<number> {
      rmSync(probe, { force: true });
      process.kill(pid, 'SIGUSR2');
      while (!existsSync(probe)) await sleep(20);
      const memory = JSON.parse(readFileSync(probe, 'utf8')) as NodeJS.MemoryUsage;
      return (memory.heapUsed + memory.external) / 2 ** 20;
    }
    const samples: Sample[] = [];
    let count = 0;
    const isOver = new AbortController();
    async function watch(): Promise<void> {
      while (!isOver.signal.aborted) {
        await sleep(SAMPLE_INTERVAL_MS);
        samples.push({ heapMib: await readHeapMib(), residentMib: getResidentMib(pid) });
      }
    }
    const watching = watch();
    for (let number = 1; number <= DAYS; number += 1) {
      count += await playHouseholdDay({ origin: server.origin, owner, computers }, DAY_MS);
      say(`day ${number}: ${count} actions, ${JSON.stringify(samples.at(-1))}`);
    }
    isOver.abort();
    await watching;
    const tenth = Math.ceil(samples.length / 10);
    const [first, last] = [samples.slice(0, tenth), samples.slice(-tenth)];
    const compare = (name: keyof Sample): readonly [number, number] => [
      median(first.map((sample) => sample[name])),
      median(last.map((sample) => sample[name])),
    ];
    const figures = { heap: compare('heapMib'), resident: compare('residentMib') };
    const text = Object.entries(figures).map(
      ([name, [before, after]]) => `${name} ${before.toFixed(1)} and ${after.toFixed(1)} MiB`,
    );
    say(`${count} actions; first and last tenth: ${text.join(', ')}`);
    const hasGrown = Object.values(figures).some(([before, after]) => after > before * MAX_GROWTH);
    return [
      {
        what: `${DAYS} days of a household in ${(DAYS * DAY_MS) / MINUTE_MS} minutes`,
        caseCount: count,
        failures: hasGrown ? [text.join(', ')] : [],
      },
    ];
  },
};
