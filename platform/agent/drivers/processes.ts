import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** Deeper process trees are not followed. The limit also ends a cycle. */
const MAX_ANCESTORS = 64;
/** Suffix that Linux adds to the path of a program that was replaced while it runs, for example by an update. */
const REPLACED_SUFFIX = / \(deleted\)$/;

function getParent(pid: number): number | undefined {
  try {
    // The format is "pid (name) state parent …", and the name may contain brackets and spaces.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return parent > 0 ? parent : undefined;
  } catch {
    return undefined; // the process has ended
  }
}

/** Lists the process and its ancestors, nearest first. */
export function listAncestors(pid: number | undefined): readonly number[] {
  const lineage: number[] = [];
  for (let current = pid; current !== undefined && lineage.length < MAX_ANCESTORS; current = getParent(current))
    lineage.push(current);
  return lineage;
}

/** Returns the file name of the program that a process runs; '' if it is unknown. */
export function getProgramName(pid: number | undefined): string {
  if (pid === undefined) return '';
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`).replace(REPLACED_SUFFIX, ''));
  } catch {
    return ''; // the process has ended, or belongs to another user
  }
}
