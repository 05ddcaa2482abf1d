import { basename } from 'node:path';
import type { MacFrameworks } from './frameworks.ts';

const MAX_PATH_BYTES = 4096;
/** `PROC_PIDTBSDINFO`, the size of its structure, and where the parent is in it. */
const BSD_INFO = 3;
const BSD_INFO_BYTES = 136;
const PARENT_OFFSET = 16;
/** Deeper process trees are not followed. The limit also ends a cycle. */
const MAX_ANCESTORS = 64;

/** Looks up processes, as `drivers/processes.ts` does on Linux. */
export function createProcessLookup({ system }: Pick<MacFrameworks, 'system'>) {
  function getParent(pid: number): number | undefined {
    const info = Buffer.alloc(BSD_INFO_BYTES);
    if (system.proc_pidinfo(pid, BSD_INFO, 0n, info, info.length) < BSD_INFO_BYTES) return undefined;
    const parent = info.readUInt32LE(PARENT_OFFSET);
    return parent > 0 ? parent : undefined;
  }
  return {
    /** Lists the process and its ancestors, nearest first. */
    listAncestors: (pid: number | undefined): readonly number[] => {
      const lineage: number[] = [];
      for (let current = pid; current !== undefined && lineage.length < MAX_ANCESTORS; current = getParent(current))
        lineage.push(current);
      return lineage;
    },
    /** Returns the file name of the program that a process runs; '' if it is unknown. */
    getProgramName: (pid: number | undefined): string => {
      if (pid === undefined) return '';
      const path = Buffer.alloc(MAX_PATH_BYTES);
      const length = system.proc_pidpath(pid, path, path.length);
      return length > 0 ? basename(path.toString('utf8', 0, length)) : '';
    },
  };
}
