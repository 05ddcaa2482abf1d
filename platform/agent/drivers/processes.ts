import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** More above one another there are not; it ends a chain that runs in a circle. */
const MAX_ANCESTORS = 64;
/** What Linux adds to the name of a program that was replaced while it runs, as an update does. */
const REPLACED = / \(deleted\)$/;

const getParent = (pid: number): number | undefined => {
  try {
    // "pid (name) state parent …", and the name may hold anything, brackets and blanks too.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return parent > 0 ? parent : undefined;
  } catch {
    return undefined; // it has ended
  }
};

/** The process and those above it, the nearest first. */
export function listAncestors(pid: number | undefined): readonly number[] {
  const lineage: number[] = [];
  for (let one = pid; one !== undefined && lineage.length < MAX_ANCESTORS; one = getParent(one)) lineage.push(one);
  return lineage;
}

/** File name of the program that a process runs; '' where nobody may know. */
export function getProgramName(pid: number | undefined): string {
  if (pid === undefined) return '';
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`).replace(REPLACED, ''));
  } catch {
    return ''; // it has ended, or belongs to somebody else
  }
}
