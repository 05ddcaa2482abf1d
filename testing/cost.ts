import { readdirSync, readFileSync } from 'node:fs';

/** Cost of a test file, as measured by its worker. */
export interface FileCost {
  /** Processor time of the worker and all of its children, in seconds. */
  readonly coreSeconds: number;
  /** Number of pages that a browser loaded. */
  readonly openings: number;
}

declare module 'vitest' {
  interface TaskMeta {
    cost?: FileCost;
  }
}

const TICKS_PER_SECOND = 100;

/** Parses the processor time in a line of `/proc/<pid>/stat`, including ended children. Exported for its test. */
export function parseStat(line: string): { readonly parent: number; readonly seconds: number } {
  // The name of a program can contain spaces and brackets.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND };
}

function readStats(): Map<number, ReturnType<typeof parseStat>> {
  const stats = new Map<number, ReturnType<typeof parseStat>>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      stats.set(Number(name), parseStat(readFileSync(`/proc/${name}/stat`, 'utf8')));
    } catch {
      // The process ended in the meantime.
    }
  return stats;
}

function getOwnSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

/** Returns the processor time of this process and its descendants in seconds; without `/proc`, of this process only. */
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
    return getOwnSeconds();
  }
}

interface CostCounter {
  measured: number;
  spent: number;
  openings: number;
}

declare global {
  // oxlint-disable-next-line no-var -- declares a property of the global object
  var pegboardTestCost: CostCounter | undefined;
}

/** Global, because a test that resets modules would otherwise start with everything that its worker ever used. */
const counter = (globalThis.pegboardTestCost ??= { measured: 0, spent: 0, openings: 0 });

/** Adds the cost since the last call. Also called before a browser ends, since no process waits for its children. */
export function sampleCost(): void {
  const now = measureTree();
  counter.spent += Math.max(0, now - counter.measured);
  counter.measured = now;
}

/** Counts a page that a browser loads. */
export function countOpening(): void {
  counter.openings += 1;
}

/** Returns the cost since the last call. The first file of a process includes starting it. */
export function takeCost(): FileCost {
  sampleCost();
  const cost = { coreSeconds: counter.spent, openings: counter.openings };
  Object.assign(counter, { spent: 0, openings: 0 });
  return cost;
}
