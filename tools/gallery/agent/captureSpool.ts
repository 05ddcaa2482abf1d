import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { createDeliveryLoop } from '#platform/agent/delivery.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { CAPTURE_PART_BYTES, sendcapture } from '../contract.ts';

export interface CaptureSender {
  /** Hands in all that waits; where the server does not take it now it is tried again, less and less often. */
  readonly send: () => Promise<void>;
  /** Lines for `agent status`. */
  readonly status: () => readonly string[];
  readonly stop: () => void;
}

const digestOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
};

const partAt = async (file: FileHandle, offset: number): Promise<string> => {
  const buffer = Buffer.allocUnsafe(CAPTURE_PART_BYTES);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
  return buffer.toString('base64', 0, bytesRead);
};

interface SenderOptions extends Pick<AgentContext, 'call' | 'print'> {
  readonly spool: CaptureSpool;
}

/** Hands in recordings in parts, each until the server says that it has the whole; only then it is removed here. */
export function createCaptureSender({ call, print, spool }: SenderOptions): CaptureSender {
  const hand = async (name: string): Promise<void> => {
    const path = spool.pathOf(name);
    const { size } = await stat(path);
    const about = { name, size, digest: await digestOf(path) };
    await using file = await open(path);
    let at = await call(sendcapture, { ...about, offset: 0, data: '' });
    while (!at.isWhole) {
      if (delivery.isStopped()) return;
      at = await call(sendcapture, { ...about, offset: at.offset, data: await partAt(file, at.offset) });
    }
    spool.remove(name);
    print(`The recording ${name} was sent`);
  };
  /** Gives what went wrong with this one alone: the next may be taken. */
  const offer = async (name: string): Promise<{ readonly error: unknown } | undefined> => {
    try {
      await hand(name);
      return undefined;
    } catch (error) {
      const isForAll = error instanceof InvalidTokenRefusal || (error instanceof CallError && error.status === 0);
      if (isForAll) throw error;
      return { error };
    }
  };
  const sendAll = async (): Promise<void> => {
    const failures = new Map<string, { readonly error: unknown }>();
    const next = (): string | undefined =>
      delivery.isStopped() ? undefined : spool.waiting().find((name) => !failures.has(name));
    for (let name = next(); name !== undefined; name = next()) {
      const failure = await offer(name);
      if (failure) failures.set(name, failure);
    }
    const [first] = failures.values();
    if (first) throw first.error;
  };
  const delivery = createDeliveryLoop({ print, errorPrefix: 'A recording could not be sent', sendAll });
  return {
    send: delivery.send,
    status: () => {
      const waiting = spool.waiting().length;
      if (waiting === 0) return [];
      const what = `${waiting} ${waiting === 1 ? 'recording waits' : 'recordings wait'} to be sent`;
      const trouble = delivery.getError();
      return [`capture: ${what}${trouble === '' ? '' : `: ${trouble}`}`];
    },
    stop: delivery.stop,
  };
}

const FOLDER = 'captures';
const DONE = '.mkv';
const PART = `${DONE}.part`;

/** Recordings on this computer that the server has not taken yet. */
export interface CaptureSpool {
  /** A place for a new one that begins now. */
  readonly place: (now: Date) => { readonly name: string; readonly part: string };
  /** It has ended: it may be sent. False where nothing was recorded. */
  readonly finish: (name: string) => boolean;
  /** Names of those that have ended, the oldest first. */
  readonly waiting: () => readonly string[];
  readonly pathOf: (name: string) => string;
  readonly remove: (name: string) => void;
}

const folderIn = (stateDir: string): string => join(stateDir, FOLDER);

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return []; // nothing was ever recorded here
  }
};

/** Names of what has not been sent yet. */
export function capturesIn(stateDir: string): readonly string[] {
  return namesIn(folderIn(stateDir)).filter((name) => name.endsWith(DONE) || name.endsWith(PART));
}

export function dropCaptures(stateDir: string): void {
  return rmSync(folderIn(stateDir), { recursive: true, force: true });
}

/** '2026-11-23_04-05-06Z': the server reads from it when the recording began, whatever zone this computer is in. */
const stampOf = (now: Date): string =>
  now
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace('T', '_')
    .replaceAll(':', '-');

/** Opens the spool in the agent's folder. What an agent before this one was recording when it was killed counts as ended. */
export function openSpool(stateDir: string): CaptureSpool {
  const folder = folderIn(stateDir);
  const pathOf = (name: string): string => join(folder, name);
  const finish = (name: string): boolean => {
    const part = pathOf(name.replace(/\.mkv$/, PART));
    if (!existsSync(part)) return false;
    if (statSync(part).size === 0) {
      rmSync(part, { force: true });
      return false;
    }
    renameSync(part, pathOf(name));
    return true;
  };
  for (const name of namesIn(folder)) if (name.endsWith(PART)) finish(name.slice(0, -'.part'.length));

  return {
    place: (now) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const stamp = stampOf(now);
      const taken = new Set(namesIn(folder).map((name) => name.split('.')[0]));
      let stem = stamp;
      for (let again = 2; taken.has(stem); again++) stem = `${stamp}-${again}`;
      return { name: `${stem}${DONE}`, part: pathOf(`${stem}${PART}`) };
    },
    finish,
    waiting: () => namesIn(folder).filter((name) => name.endsWith(DONE)),
    pathOf,
    remove: (name) => rmSync(pathOf(name), { force: true }),
  };
}
