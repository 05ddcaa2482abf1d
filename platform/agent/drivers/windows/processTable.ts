import { win32 } from 'node:path';
import { decodeWideText, openKernel32 } from './libraries.ts';

const QUERY_LIMITED_INFORMATION = 0x1000;
const MAX_PATH_CHARACTERS = 32_768;
const SNAPSHOT_PROCESSES = 2;
const INVALID_HANDLE = 0xffff_ffff_ffff_ffffn;
/** Size and fields of a `PROCESSENTRY32W` structure. */
const ENTRY_BYTES = 568;
const ENTRY_PID = 8;
const ENTRY_PARENT = 32;
/** Deeper process trees are not followed. The limit also ends a cycle. */
const MAX_ANCESTORS = 64;

/** Returns the name of a program's file without its ending: 'notepad'. */
export function getProgramNameOfPath(path: string): string {
  return win32.basename(path).replace(/\.exe$/i, '');
}

/** Returns the name of the program that a process runs; '' if it is unknown. */
export function getProgramName(pid: number): string {
  const { OpenProcess, QueryFullProcessImageNameW, CloseHandle } = openKernel32();
  const handle = OpenProcess(QUERY_LIMITED_INFORMATION, 0, pid);
  if (handle === 0n) return '';
  const path = Buffer.alloc(2 * MAX_PATH_CHARACTERS);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(MAX_PATH_CHARACTERS);
  const isKnown = QueryFullProcessImageNameW(handle, 0, path, length) !== 0;
  CloseHandle(handle);
  return isKnown ? getProgramNameOfPath(decodeWideText(path.subarray(0, 2 * length.readUInt32LE(0)))) : '';
}

/** Reads the parent of every process. */
function readParents(): ReadonlyMap<number, number> {
  const { CreateToolhelp32Snapshot, Process32FirstW, Process32NextW, CloseHandle } = openKernel32();
  const parents = new Map<number, number>();
  const snapshot = CreateToolhelp32Snapshot(SNAPSHOT_PROCESSES, 0);
  if (snapshot === INVALID_HANDLE) return parents;
  const entry = Buffer.alloc(ENTRY_BYTES);
  entry.writeUInt32LE(ENTRY_BYTES, 0);
  for (let found = Process32FirstW(snapshot, entry); found !== 0; found = Process32NextW(snapshot, entry))
    parents.set(entry.readUInt32LE(ENTRY_PID), entry.readUInt32LE(ENTRY_PARENT));
  CloseHandle(snapshot);
  return parents;
}

/** Lists the process and its ancestors, nearest first. */
export function listAncestors(pid: number): readonly number[] {
  const parents = readParents();
  const lineage: number[] = [];
  for (let current: number | undefined = pid; current && lineage.length < MAX_ANCESTORS; current = parents.get(current))
    lineage.push(current);
  return lineage;
}
