import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { basename } from 'node:path';

const WRITES = 0o3;
/** What a process no longer has, or does not let us see, is none of its open files. */
const orNothing = async <T>(asked: Promise<T>): Promise<T | undefined> => asked.catch(() => undefined);

const isWriting = async (process: string, descriptor: string): Promise<boolean> => {
  const info = await orNothing(readFile(`/proc/${process}/fdinfo/${descriptor}`, 'latin1'));
  const flags = /^flags:\s*([0-7]+)/m.exec(info ?? '')?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & WRITES) !== 0;
};

interface FileKey {
  readonly path: string;
  /** Which file it is, whatever it is called. */
  readonly key: string;
}

const keyOf = ({ dev, ino }: { readonly dev: number; readonly ino: number }): string => `${dev}:${ino}`;

/** By their last names, which is all that has to be compared of most open files. */
const wantedOf = async (paths: readonly string[]): Promise<ReadonlyMap<string, readonly FileKey[]>> => {
  const wanted = new Map<string, readonly FileKey[]>();
  for (const path of paths) {
    const about = await orNothing(stat(path));
    const name = basename(path);
    if (about) wanted.set(name, [...(wanted.get(name) ?? []), { path, key: keyOf(about) }]);
  }
  return wanted;
};

const matchOf = async (own: string, wanted: ReadonlyMap<string, readonly FileKey[]>): Promise<string | undefined> => {
  const same = wanted.get(basename((await orNothing(readlink(own))) ?? ''));
  const about = same && (await orNothing(stat(own)));
  return about && same.find(({ key }) => key === keyOf(about))?.path;
};

/** Those of these files that some process has open for writing, as far as Linux lets this user see; on other systems none. */
export const openForWriting = async (paths: readonly string[]): Promise<ReadonlySet<string>> => {
  const found = new Set<string>();
  const wanted = await wantedOf(paths);
  if (wanted.size === 0) return found;
  const processes = ((await orNothing(readdir('/proc'))) ?? []).filter((name) => /^\d+$/.test(name));
  for (const process of processes)
    for (const descriptor of (await orNothing(readdir(`/proc/${process}/fd`))) ?? []) {
      const path = await matchOf(`/proc/${process}/fd/${descriptor}`, wanted);
      if (path !== undefined && (await isWriting(process, descriptor))) found.add(path);
    }
  return found;
};
