import { CallError } from '#platform/contract/client.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import type { AgentContext } from './tool.ts';

const MIN_RETRY_DELAY_MS = 5000;
const MAX_RETRY_DELAY_MS = 5 * MINUTE_MS;

/** Uploads what a tool has spooled on disk until the server has all of it. */
export interface DeliveryLoop {
  /** Uploads everything that is unsent; concurrent calls share one run. Retries with backoff after a failure. */
  readonly send: () => Promise<void>;
  /** Returns why uploads fail; empty if they do not. */
  readonly getError: () => string;
  /** Tools check this between two uploads. */
  readonly isStopped: () => boolean;
  readonly stop: () => void;
}

export interface DeliveryOptions extends Pick<AgentContext, 'print'> {
  /** Printed in front of the reason in the agent's log. */
  readonly errorPrefix: string;
  /**
   * Uploads the whole spool.
   * @throws the reason why the rest can't be uploaded now.
   */
  readonly sendAll: () => Promise<void>;
}

export function createDeliveryLoop({ print, errorPrefix, sendAll }: DeliveryOptions): DeliveryLoop {
  let retryDelayMs = MIN_RETRY_DELAY_MS;
  let retryTimer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let lastError = '';
  let isRevoked = false;
  let isStopped = false;

  function handleFailure(error: unknown): void {
    if (isStopped) return;
    if (error instanceof InvalidTokenRefusal) {
      isRevoked = true;
      lastError = 'this computer was removed from the account. Pair it again';
      return;
    }
    const message = error instanceof Error ? error.message : 'unknown error';
    const isServerUnreachable = error instanceof CallError && error.status === 0;
    if (message !== lastError && !isServerUnreachable) print(`${errorPrefix}: ${message}`);
    lastError = message;
    clearTimeout(retryTimer);
    retryTimer = setTimeout(() => void send(), retryDelayMs);
    retryDelayMs = Math.min(retryDelayMs * 2, MAX_RETRY_DELAY_MS);
  }
  async function attempt(): Promise<void> {
    try {
      await sendAll();
      retryDelayMs = MIN_RETRY_DELAY_MS;
      lastError = '';
    } catch (error) {
      handleFailure(error);
    }
  }
  async function send(): Promise<void> {
    if (isRevoked || isStopped) return;
    sending ??= attempt().finally(() => {
      sending = undefined;
    });
    await sending;
  }
  return {
    send,
    getError: () => lastError,
    isStopped: () => isStopped,
    stop: () => {
      isStopped = true;
      clearTimeout(retryTimer);
    },
  };
}
