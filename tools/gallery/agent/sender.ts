import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import type { AgentGround } from '#platform/agent/tool.ts';
import { CallFailed } from '#platform/contract/client.ts';
import { InvalidToken, Refusal } from '#platform/contract/refusal.ts';
import { CAPTURE_PART_BYTES, sendcapture } from '../contract.ts';
import type { CaptureSpool } from './spool.ts';

const FIRST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 300_000;

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

interface SenderOptions extends Pick<AgentGround, 'call' | 'say'> {
  readonly spool: CaptureSpool;
}

/** Hands in recordings in parts, each until the server says that it has the whole; only then it is removed here. */
export const makeCaptureSender = ({ call, say, spool }: SenderOptions): CaptureSender => {
  let wait = FIRST_WAIT_MS;
  let again: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let trouble = '';
  let isStopped = false;
  let isRevoked = false;

  const hand = async (name: string): Promise<void> => {
    const path = spool.pathOf(name);
    const { size } = await stat(path);
    const about = { name, size, digest: await digestOf(path) };
    await using file = await open(path);
    let at = await call(sendcapture, { ...about, offset: 0, data: '' });
    while (!at.isWhole) {
      if (isStopped) return;
      at = await call(sendcapture, { ...about, offset: at.offset, data: await partAt(file, at.offset) });
    }
    spool.remove(name);
    say(`The recording ${name} was sent`);
  };
  const fail = (error: unknown): void => {
    if (isStopped) return;
    if (error instanceof InvalidToken) {
      isRevoked = true;
      trouble = 'this computer was removed from the account';
      return;
    }
    const why = error instanceof Error ? error.message : 'no reason';
    const isAway = error instanceof CallFailed && error.status === 0;
    if (why !== trouble && !isAway) say(`A recording could not be sent: ${why}`);
    trouble = why;
    clearTimeout(again);
    again = setTimeout(() => void send(), wait);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  };
  /** Gives what the server has against it: that holds for this one alone. */
  const offer = async (name: string): Promise<Refusal | undefined> => {
    try {
      await hand(name);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal && !(error instanceof InvalidToken)) return error;
      throw error;
    }
  };
  const attempt = async (): Promise<void> => {
    const refused = new Map<string, Refusal>();
    const next = (): string | undefined => (isStopped ? undefined : spool.waiting().find((name) => !refused.has(name)));
    try {
      for (let name = next(); name !== undefined; name = next()) {
        const refusal = await offer(name);
        if (refusal) refused.set(name, refusal);
      }
      const [first] = refused.values();
      if (first) throw first;
      wait = FIRST_WAIT_MS;
      trouble = '';
    } catch (error) {
      fail(error);
    }
  };
  const send = async (): Promise<void> => {
    if (isStopped || isRevoked) return;
    sending ??= attempt().finally(() => {
      sending = undefined;
    });
    await sending;
  };
  return {
    send,
    status: () => {
      const waiting = spool.waiting().length;
      if (waiting === 0) return [];
      const what = `${waiting} ${waiting === 1 ? 'recording waits' : 'recordings wait'} to be sent`;
      return [`capture: ${what}${trouble === '' ? '' : `: ${trouble}`}`];
    },
    stop: () => {
      isStopped = true;
      clearTimeout(again);
    },
  };
};
