import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountData } from '#platform/agent/pairedAccount.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { CallError } from '#platform/contract/client.ts';
import { devicemessage } from '#tools/messages/contract.ts';

const FIRST_WAIT_MS = 1000;
const MAX_RETRY_DELAY_MS = 30_000;

export interface Outbox {
  /** Sends the text as a message from this computer, now or as soon as the server takes it; of one `key` it counts once. */
  readonly post: (key: string, text: string) => void;
  readonly stop: () => void;
}

/** No answer, or one that says to come back; anything else will not get better by asking again. */
const isWorthAnotherTry = (error: unknown): boolean =>
  error instanceof CallError && (error.status === 0 || error.status === 429 || error.status >= 500);

const messagesIn = (folder: string): readonly string[] => readdirSync(folder).filter((name) => name.endsWith('.txt'));

/** Messages on their way to the server, a file each, so that a restart loses none. */
export function openOutbox({ call, print, stateDir }: AgentContext): Outbox {
  const folder = join(stateDir, 'outbox');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let wait = FIRST_WAIT_MS;
  let timer: NodeJS.Timeout | undefined;
  let isSending = false;
  let isStopped = false;

  const waiting = (): readonly string[] => messagesIn(folder);

  const send = async (name: string): Promise<void> => {
    const text = readFileSync(join(folder, name), 'utf8');
    try {
      await call(devicemessage, { inputtype: 3, text, key: name.slice(0, -'.txt'.length) });
    } catch (error) {
      if (isWorthAnotherTry(error)) throw error;
      print(`The server refused a script's result: ${error instanceof Error ? error.message : 'no reason'}`);
    }
    rmSync(join(folder, name), { force: true });
  };

  const sendAll = async (): Promise<void> => {
    if (isSending || isStopped) return;
    isSending = true;
    try {
      for (let names = waiting(); names.length > 0; names = waiting()) {
        for (const name of names) await send(name);
      }
      wait = FIRST_WAIT_MS;
    } catch {
      // Not taken now: it stays in its folder and is tried again, less and less often.
      if (!isStopped) timer = setTimeout(() => void sendAll(), wait);
      wait = Math.min(wait * 2, MAX_RETRY_DELAY_MS);
    } finally {
      isSending = false;
    }
  };
  void sendAll();

  return {
    post: (key, text) => {
      const path = join(folder, `${key}.txt`);
      writeFileSync(`${path}.part`, text, { mode: 0o600 });
      renameSync(`${path}.part`, path);
      clearTimeout(timer);
      void sendAll();
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Results are of the account whose scripts they were. */
export const outboxKeep: AccountData = {
  listUnsent: (stateDir) => {
    const folder = join(stateDir, 'outbox');
    const results = existsSync(folder) ? messagesIn(folder).length : 0;
    return results > 0 ? [`${results} ${results === 1 ? 'result' : 'results'} of scripts`] : [];
  },
  remove: (stateDir) => rmSync(join(stateDir, 'outbox'), { recursive: true, force: true }),
};
