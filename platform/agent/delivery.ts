import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import type { AgentContext } from './tool.ts';

const MIN_RETRY_DELAY_MS = 5000;
const MAX_RETRY_DELAY_MS = 300_000;

/** Hands in what a tool keeps on disk until the server has it. */
export interface DeliveryLoop {
  /** Hands in all that waits, once at a time; where that fails it is tried again by itself, less and less often. */
  readonly send: () => Promise<void>;
  /** Why nothing gets through; empty where all does. */
  readonly getError: () => string;
  /** To be asked between two pieces of work. */
  readonly isStopped: () => boolean;
  readonly stop: () => void;
}

export interface DeliveryOptions extends Pick<AgentContext, 'print'> {
  /** Stands before the reason in the agent's log. */
  readonly errorPrefix: string;
  /** @throws what keeps the rest from being sent now. */
  readonly sendAll: () => Promise<void>;
}

export function createDeliveryLoop({ print, errorPrefix, sendAll }: DeliveryOptions): DeliveryLoop {
  let wait = MIN_RETRY_DELAY_MS;
  let again: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let trouble = '';
  let isRevoked = false;
  let isStopped = false;

  const fail = (error: unknown): void => {
    if (isStopped) return;
    if (error instanceof InvalidTokenRefusal) {
      isRevoked = true;
      trouble = 'this computer was removed from the account';
      return;
    }
    const why = error instanceof Error ? error.message : 'no reason';
    const isAway = error instanceof CallError && error.status === 0;
    if (why !== trouble && !isAway) print(`${errorPrefix}: ${why}`);
    trouble = why;
    clearTimeout(again);
    again = setTimeout(() => void send(), wait);
    wait = Math.min(wait * 2, MAX_RETRY_DELAY_MS);
  };
  const attempt = async (): Promise<void> => {
    try {
      await sendAll();
      wait = MIN_RETRY_DELAY_MS;
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
    getError: () => trouble,
    isStopped: () => isStopped,
    stop: () => {
      isStopped = true;
      clearTimeout(again);
    },
  };
}
