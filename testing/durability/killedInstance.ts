import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '#platform/contract/client.ts';
import { keyboardinput, motion } from '#tools/remote/contract.ts';
import { signUpOwner } from '../bench/account.ts';
import { startDevice } from '../kits/desktop/device.ts';
import { pollUntil } from '../kits/server/killedServer.ts';
import { startPostgres } from '../kits/server/postgres.ts';
import { startRedis } from '../kits/server/redis.ts';
import { startRoundRobinProxy } from '../kits/server/roundRobinProxy.ts';
import { TEST_PASSWORD } from '../kits/server/server.ts';
import { openPlainSocket } from '../load/stalling.ts';
import { type KillableServer, startKillableServer } from '../sync/killableServer.ts';

const RETRY_INTERVAL_MS = 50;
const MOTION_INTERVAL_MS = 30;
const WORDS_BETWEEN_KILLS = 20;
/** What the person has in view by then. */
const REQUEST_TIMEOUT_MS = 10_000;

/** What kills of instances did to a phone and its computer. */
export interface KilledInstanceFigures {
  readonly words: number;
  /** Words that are typed more than once. */
  readonly duplicated: number;
  /** Acknowledged words that are missing, or in the wrong place. */
  readonly lost: number;
  /** Whether a mouse button is still pressed at the end. */
  readonly isPressed: boolean;
  /** Time from each kill until a word that was entered after it is typed, in milliseconds. */
  readonly recoveryMs: readonly number[];
}

/** A phone types words and presses a mouse button through two instances, which are killed in turn. */
export async function playKilledInstance(
  kills: number,
  say: (line: string) => void = () => undefined,
): Promise<KilledInstanceFigures> {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-killed-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  const postgres = resources.use(await startPostgres());
  const databaseUrl = await postgres.createDatabase();
  const { url: redisUrl } = resources.use(await startRedis());
  const instances: KillableServer[] = [];
  for (let index = 0; index < 2; index += 1)
    instances.push(resources.use(await startKillableServer(dataDir, databaseUrl, redisUrl)));
  const killed = new Set<number>();
  const getPorts = () => instances.filter((_, index) => !killed.has(index)).map(({ getPort }) => getPort());
  const { origin } = resources.use(await startRoundRobinProxy(getPorts));
  const { token } = await signUpOwner(origin);
  const call = createClient({ origin, token: () => token, signal: () => AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  const laptop = resources.use(await startDevice({ origin }, { name: 'owner', password: TEST_PASSWORD, token, call }));
  const { target, drivers } = laptop;

  const phone = openPlainSocket(origin, token);
  resources.defer(() => void phone.disconnect());
  const motionEvent = {
    orientation: { alpha: 0, beta: 0, gamma: 0 },
    reset: { lmb: true, lift: false, scroll: false },
    target,
  };
  const motionTimer = setInterval(() => phone.volatile.emit(motion.name, motionEvent), MOTION_INTERVAL_MS);
  resources.defer(() => clearInterval(motionTimer));

  const acknowledged: string[] = [];
  /** Types a word, and enters it again until it is acknowledged. */
  async function typeWord(): Promise<void> {
    const inputValue = `word ${acknowledged.length}`;
    const content = { inputtype: 1 as const, inputValue, target, timesent: Date.now() / 1000 };
    for (;;)
      try {
        await call(keyboardinput, { content });
        acknowledged.push(inputValue);
        return;
      } catch {
        await sleep(RETRY_INTERVAL_MS);
      }
  }
  async function typeWords(count: number): Promise<void> {
    for (let word = 0; word < count; word += 1) await typeWord();
  }
  await typeWords(WORDS_BETWEEN_KILLS);
  const recoveryMs: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const index = kill % instances.length;
    const typing = typeWord();
    killed.add(index);
    const killedAt = performance.now();
    const restart = instances[index]?.killAndStart().then(() => killed.delete(index));
    await typing;
    await typeWord();
    recoveryMs.push(performance.now() - killedAt);
    say(`kill ${kill + 1}: typed after ${Math.round(recoveryMs.at(-1) ?? 0)} ms`);
    await restart;
    await typeWords(WORDS_BETWEEN_KILLS);
  }
  clearInterval(motionTimer);
  phone.disconnect();
  const isButtonPressed = (): boolean => {
    const changes = drivers.actions.filter(({ kind }) => kind === 'button' || kind === 'release');
    const last = changes.at(-1);
    return last?.kind === 'button' && last.down;
  };
  const deadline = performance.now() + REQUEST_TIMEOUT_MS;
  const isPressed = await pollUntil(
    async () => isButtonPressed(),
    (isStillPressed) => !isStillPressed || performance.now() > deadline,
  );
  const typed = drivers.listTypedTexts();
  return {
    words: acknowledged.length,
    duplicated: typed.length - new Set(typed).size,
    lost: acknowledged.filter((word, place) => [...new Set(typed)][place] !== word).length,
    isPressed,
    recoveryMs,
  };
}
