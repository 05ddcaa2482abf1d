import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { createDeliveryLoop } from '#platform/agent/delivery.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { CAPTURE_PART_BYTES, sendcapture } from '../contract.ts';
import type { CaptureSpool } from './captureSpool.ts';

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
export const createCaptureSender = ({ call, print, spool }: SenderOptions): CaptureSender => {
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
};
