import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountData } from '#platform/agent/pairedAccount.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { writeFileAtomically } from '#platform/agent/writeFileAtomically.ts';
import { CallError } from '#platform/contract/client.ts';
import { devicemessage } from '#tools/messages/contract.ts';

const MIN_RETRY_DELAY_MS = 1000;
const MAX_RETRY_DELAY_MS = 30_000;

export interface Outbox {
  /** Sends the text as a message from this computer, now or once the server accepts it. The same `key` counts once. */
  readonly post: (key: string, text: string) => void;
  readonly stop: () => void;
}

/** Returns whether a retry makes sense: the server did not answer, or had a temporary error. */
const isTemporaryError = (error: unknown): boolean =>
  error instanceof CallError && (error.status === 0 || error.status === 429 || error.status >= 500);

const listMessages = (folder: string): readonly string[] => readdirSync(folder).filter((name) => name.endsWith('.txt'));

/** Opens the outbox. Each unsent message is a file, so that a restart loses none. */
export function openOutbox({ call, print, stateDir }: AgentContext): Outbox {
  const folder = join(stateDir, 'outbox');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let retryDelayMs = MIN_RETRY_DELAY_MS;
  let timer: NodeJS.Timeout | undefined;
  let isSending = false;
  let isStopped = false;

  async function send(name: string): Promise<void> {
    const text = readFileSync(join(folder, name), 'utf8');
    try {
      await call(devicemessage, { inputtype: 3, text, key: name.slice(0, -'.txt'.length) });
    } catch (error) {
      if (isTemporaryError(error)) throw error;
      print(`The server rejected the result of a script: ${error instanceof Error ? error.message : 'unknown error'}`);
    }
    rmSync(join(folder, name), { force: true });
  }

  async function sendAll(): Promise<void> {
    if (isSending || isStopped) return;
    isSending = true;
    try {
      for (let names = listMessages(folder); names.length > 0; names = listMessages(folder)) {
        for (const name of names) await send(name);
      }
      retryDelayMs = MIN_RETRY_DELAY_MS;
    } catch {
      // The message stays in its folder and is retried with backoff.
      if (!isStopped) timer = setTimeout(() => void sendAll(), retryDelayMs);
      retryDelayMs = Math.min(retryDelayMs * 2, MAX_RETRY_DELAY_MS);
    } finally {
      isSending = false;
    }
  }
  void sendAll();

  return {
    post: (key, text) => {
      writeFileAtomically(join(folder, `${key}.txt`), text);
      clearTimeout(timer);
      void sendAll();
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Unsent results belong to the account whose scripts produced them. */
export const outboxAccountData: AccountData = {
  listUnsent: (stateDir) => {
    const folder = join(stateDir, 'outbox');
    const count = existsSync(folder) ? listMessages(folder).length : 0;
    return count > 0 ? [`${count} script ${count === 1 ? 'result' : 'results'}`] : [];
  },
  remove: (stateDir) => rmSync(join(stateDir, 'outbox'), { recursive: true, force: true }),
};
