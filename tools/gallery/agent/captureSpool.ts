import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { createDeliveryLoop } from '#platform/agent/deliveryLoop.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { CAPTURE_PART_BYTES, sendcapture } from '../contract.ts';

export interface CaptureSender {
  /** Uploads everything in the spool, with backoff after failures. */
  readonly send: () => Promise<void>;
  /** Returns lines for `agent status`. */
  readonly status: () => readonly string[];
  readonly stop: () => void;
}

async function computeDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function readPart(file: FileHandle, offset: number): Promise<string> {
  const buffer = Buffer.allocUnsafe(CAPTURE_PART_BYTES);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
  return buffer.toString('base64', 0, bytesRead);
}

interface SenderOptions extends Pick<AgentContext, 'call' | 'print'> {
  readonly spool: CaptureSpool;
}

/** Uploads recordings in parts. A recording is removed here once the server has confirmed all of it. */
export function createCaptureSender({ call, print, spool }: SenderOptions): CaptureSender {
  async function upload(name: string): Promise<void> {
    const path = spool.getPath(name);
    const { size } = await stat(path);
    const description = { name, size, digest: await computeDigest(path) };
    await using file = await open(path);
    let progress = await call(sendcapture, { ...description, offset: 0, data: '' });
    while (!progress.isWhole) {
      if (delivery.isStopped()) return;
      progress = await call(sendcapture, {
        ...description,
        offset: progress.offset,
        data: await readPart(file, progress.offset),
      });
    }
    spool.remove(name);
    print(`Sent the recording ${name}`);
  }
  /**
   * Returns an error that only affects this recording. @throws errors that affect all recordings
   */
  async function tryUpload(name: string): Promise<{ readonly error: unknown } | undefined> {
    try {
      await upload(name);
      return undefined;
    } catch (error) {
      const affectsAll = error instanceof InvalidTokenRefusal || (error instanceof CallError && error.status === 0);
      if (affectsAll) throw error;
      return { error };
    }
  }
  async function sendAll(): Promise<void> {
    const failures = new Map<string, { readonly error: unknown }>();
    const next = (): string | undefined =>
      delivery.isStopped() ? undefined : spool.listWaiting().find((name) => !failures.has(name));
    for (let name = next(); name !== undefined; name = next()) {
      const failure = await tryUpload(name);
      if (failure) failures.set(name, failure);
    }
    const [firstFailure] = failures.values();
    if (firstFailure) throw firstFailure.error;
  }
  const delivery = createDeliveryLoop({ print, errorPrefix: 'Could not send a recording', sendAll });
  return {
    send: delivery.send,
    status: () => {
      const waitingCount = spool.listWaiting().length;
      if (waitingCount === 0) return [];
      const summary = `${waitingCount} ${waitingCount === 1 ? 'recording' : 'recordings'} to send`;
      const lastError = delivery.getError();
      return [`capture: ${summary}${lastError === '' ? '' : `: ${lastError}`}`];
    },
    stop: delivery.stop,
  };
}

const FOLDER = 'captures';
const EXTENSION = '.mkv';
const PART_EXTENSION = `${EXTENSION}.part`;

/** The recordings on this computer that the server does not have yet. */
export interface CaptureSpool {
  /** Reserves a file name for a recording that starts now. */
  readonly reserve: (now: Date) => { readonly name: string; readonly part: string };
  /** Marks a recording as ended, so that it can be sent. Returns false if nothing was recorded. */
  readonly finish: (name: string) => boolean;
  /** Lists the names of ended recordings, oldest first. */
  readonly listWaiting: () => readonly string[];
  readonly getPath: (name: string) => string;
  readonly remove: (name: string) => void;
}

const getSpoolFolder = (stateDir: string): string => join(stateDir, FOLDER);

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return []; // nothing was ever recorded here
  }
}

/** Lists the names of recordings that are not sent yet. */
export function listCaptures(stateDir: string): readonly string[] {
  return listNames(getSpoolFolder(stateDir)).filter(
    (name) => name.endsWith(EXTENSION) || name.endsWith(PART_EXTENSION),
  );
}

export function removeCaptures(stateDir: string): void {
  return rmSync(getSpoolFolder(stateDir), { recursive: true, force: true });
}

/**
 * Formats '2026-11-23_04-05-06Z', from which the server reads the start of the recording. It is in UTC, because time
 * zones can differ.
 */
const formatStamp = (now: Date): string =>
  now
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace('T', '_')
    .replaceAll(':', '-');

/** Opens the spool in the agent's folder. A recording that was running when the agent was killed counts as ended. */
export function openSpool(stateDir: string): CaptureSpool {
  const folder = getSpoolFolder(stateDir);
  const getPath = (name: string): string => join(folder, name);
  function finish(name: string): boolean {
    const part = getPath(name.replace(/\.mkv$/, PART_EXTENSION));
    if (!existsSync(part)) return false;
    if (statSync(part).size === 0) {
      rmSync(part, { force: true });
      return false;
    }
    renameSync(part, getPath(name));
    return true;
  }
  for (const name of listNames(folder)) if (name.endsWith(PART_EXTENSION)) finish(name.slice(0, -'.part'.length));

  return {
    reserve: (now) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const stamp = formatStamp(now);
      const usedStems = new Set(listNames(folder).map((name) => name.split('.')[0]));
      let stem = stamp;
      for (let suffix = 2; usedStems.has(stem); suffix++) stem = `${stamp}-${suffix}`;
      return { name: `${stem}${EXTENSION}`, part: getPath(`${stem}${PART_EXTENSION}`) };
    },
    finish,
    listWaiting: () => listNames(folder).filter((name) => name.endsWith(EXTENSION)),
    getPath,
    remove: (name) => rmSync(getPath(name), { force: true }),
  };
}
