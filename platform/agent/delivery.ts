import { CallFailed } from '#platform/contract/client.ts';
import { InvalidToken } from '#platform/contract/refusal.ts';
import type { AgentGround } from './tool.ts';

const FIRST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 300_000;

/** Hands in what a tool keeps on disk until the server has it. */
export interface Delivery {
  /** Hands in all that waits, once at a time; where that fails it is tried again by itself, less and less often. */
  readonly send: () => Promise<void>;
  /** Why nothing gets through; empty where all does. */
  readonly trouble: () => string;
  /** To be asked between two pieces of work. */
  readonly isStopped: () => boolean;
  readonly stop: () => void;
}

export interface DeliveryOptions extends Pick<AgentGround, 'say'> {
  /** Stands before the reason in the agent's log. */
  readonly failed: string;
  /** @throws what keeps the rest from being sent now. */
  readonly sendAll: () => Promise<void>;
}

export const makeDelivery = ({ say, failed, sendAll }: DeliveryOptions): Delivery => {
  let wait = FIRST_WAIT_MS;
  let again: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let trouble = '';
  let isRevoked = false;
  let isStopped = false;

  const fail = (error: unknown): void => {
    if (isStopped) return;
    if (error instanceof InvalidToken) {
      isRevoked = true;
      trouble = 'this computer was removed from the account';
      return;
    }
    const why = error instanceof Error ? error.message : 'no reason';
    const isAway = error instanceof CallFailed && error.status === 0;
    if (why !== trouble && !isAway) say(`${failed}: ${why}`);
    trouble = why;
    clearTimeout(again);
    again = setTimeout(() => void send(), wait);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  };
  const attempt = async (): Promise<void> => {
    try {
      await sendAll();
      wait = FIRST_WAIT_MS;
      trouble = '';
    } catch (error) {
      fail(error);
    }
  };
  const send = async (): Promise<void> => {
    if (isRevoked || isStopped) return;
    sending ??= attempt().finally(() => {
      sending = undefined;
    });
    await sending;
  };
  return {
    send,
    trouble: () => trouble,
    isStopped: () => isStopped,
    stop: () => {
      isStopped = true;
      clearTimeout(again);
    },
  };
};
