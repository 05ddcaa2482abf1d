import { readdirSync, readFileSync } from 'node:fs';

/** What a test file took, as its worker measured it. */
export interface FileCost {
  /** Processor time of the worker and of all its children, in seconds. */
  readonly coreSeconds: number;
  /** Pages that a browser loaded. */
  readonly openings: number;
}

declare module 'vitest' {
  interface TaskMeta {
    cost?: FileCost;
  }
}

const TICKS_PER_SECOND = 100;

/** The processor time that a line of `/proc/<pid>/stat` holds, that of ended children included. Exported for its test. */
export function parseStat(line: string): { readonly parent: number; readonly seconds: number } {
  // The name of a program may hold spaces and brackets.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND };
}

function readStats(): Map<number, ReturnType<typeof parseStat>> {
  const stats = new Map<number, ReturnType<typeof parseStat>>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each)))
    try {
      stats.set(Number(name), parseStat(readFileSync(`/proc/${name}/stat`, 'utf8')));
    } catch {
      // It ended meanwhile.
    }
  return stats;
}

const ownSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
};

/** Processor time of this process and everything it started, in seconds; without `/proc` that of this process alone. */
function measureTree(): number {
  try {
    const stats = readStats();
    const isOurs = (pid: number): boolean => {
      for (let at: number | undefined = pid; at !== undefined && at > 1; at = stats.get(at)?.parent)
        if (at === process.pid) return true;
      return false;
    };
    return [...stats].reduce((sum, [pid, { seconds }]) => (isOurs(pid) ? sum + seconds : sum), 0);
  } catch {
    return ownSeconds();
  }
}

interface Spending {
  measured: number;
  spent: number;
  openings: number;
}

declare global {
  // oxlint-disable-next-line no-var -- a property of the global object is declared so
  var pegboardSpending: Spending | undefined;
}

/** Belongs to the worker's process: a test that resets modules would start with all that its worker ever used. */
const spending = (globalThis.pegboardSpending ??= { measured: 0, spent: 0, openings: 0 });

/** Adds what was used since the last call. Called before a browser ends too, whose children nobody waits for. */
export function sampleCost(): void {
  const now = measureTree();
  spending.spent += Math.max(0, now - spending.measured);
  spending.measured = now;
}

/** Counts a page that a browser loads. */
export function countOpening(): void {
  spending.openings += 1;
}

/** Gives what was used since it was taken last. The first file of a process pays for the start of it. */
export function takeCost(): FileCost {
  sampleCost();
  const cost = { coreSeconds: spending.spent, openings: spending.openings };
  Object.assign(spending, { spent: 0, openings: 0 });
  return cost;
}
