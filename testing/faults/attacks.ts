import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '#platform/contract/client.ts';
import { SECOND_MS } from '#platform/contract/duration.ts';
import { signup } from '#platform/contract/session.ts';
import { createEventDrafts } from '../bench/calendar.ts';
import { startFilledServer } from '../bench/filledServer.ts';
import { formatMs, getResidentMib, percentile } from '../bench/measure.ts';
import { fillLibrary } from '../kits/media/songs.ts';
import { fillCalendar } from '../kits/planning/manyEvents.ts';
import type { FaultSuite, SuiteResult } from './suite.ts';

const ATTACKS = ['slowloris', 'slowClients', 'loginStorm'] as const;
const PHASE_MS = 12 * SECOND_MS;
/** Each attack is compared with the time just before it, as the load of the machine changes. */
const ROUNDS = 3;
const GAP_MS = 20;
const MAX_SLOWDOWN = 2;
/** Below this, a request is mostly waiting for the processor. */
const MIN_P99_MS = 10;
const ACCOUNTS = 20;
const MAX_MEMORY_GROWTH_MIB = 700;

/** Other users while one attacks with slow clients, slow headers or a storm of logins. */
export const attacksSuite: FaultSuite = {
  name: 'attacks',
  run: async (say) => {
    await using filled = await startFilledServer({
      env: { RATE_LIMITS: 'on', PASSWORD_HASH: 'full', LOG_LEVEL: 'fatal' },
      prepare: async (origin) => {
        const call = createClient({ origin });
        for (let number = 0; number < ACCOUNTS; number += 1)
          await call(signup, { username: `user${number}`, password: 'correct horse staple' });
      },
      fill: async (database) => {
        await fillCalendar(database, 1, createEventDrafts(1000));
        await fillLibrary(database, 1, { songs: 5000, playlists: 10 });
      },
    });
    const { server, owner } = filled;
    const pid = server.child.pid ?? 0;
    const headers = { authorization: `Bearer ${owner.token}` };
    const paths = ['/api/getevents?tz=UTC', '/api/eventssearch?tz=UTC&searchterm=review', '/'];
    /** Milliseconds of a user's requests. */
    async function measureUser(ms: number): Promise<readonly number[]> {
      const times: number[] = [];
      for (const end = Date.now() + ms; Date.now() < end;) {
        const start = performance.now();
        const response = await fetch(server.origin + (paths[times.length % paths.length] ?? '/'), { headers });
        await response.bytes();
        if (response.status !== 200) throw new Error(`a user was answered with ${response.status}`);
        times.push(performance.now() - start);
        await sleep(GAP_MS);
      }
      return times;
    }
    async function measureAttack(kind: (typeof ATTACKS)[number]): Promise<SuiteResult> {
      const [quiet, attacked]: [number[], number[]] = [[], []];
      const memoryBefore = getResidentMib(pid);
      let maxMemory = memoryBefore;
      for (let round = 0; round < ROUNDS; round += 1) {
        quiet.push(...(await measureUser(PHASE_MS / ROUNDS)));
        const attacker = spawn(
          process.execPath,
          [fileURLToPath(new URL('../load/attacker.ts', import.meta.url)), kind, server.origin],
          {
            env: { ...process.env, TOKEN: owner.token },
            stdio: ['ignore', 'inherit', 'inherit'],
          },
        );
        await sleep(2 * SECOND_MS);
        attacked.push(...(await measureUser(PHASE_MS / ROUNDS)));
        maxMemory = Math.max(maxMemory, getResidentMib(pid));
        attacker.kill('SIGTERM');
        await once(attacker, 'exit');
        await sleep(SECOND_MS);
      }
      const [before, during] = [percentile(quiet, 0.99), percentile(attacked, 0.99)];
      const figures = `${kind}: p99 ${formatMs(before)} before, ${formatMs(during)} during, p50 ${formatMs(percentile(quiet, 0.5))} and ${formatMs(percentile(attacked, 0.5))}; memory ${Math.round(memoryBefore)} MiB, at most ${Math.round(maxMemory)} MiB`;
      say(figures);
      const isSlow = during > MAX_SLOWDOWN * Math.max(MIN_P99_MS, before);
      return {
        what: `requests of another user during ${kind}`,
        caseCount: attacked.length,
        failures: isSlow || maxMemory - memoryBefore > MAX_MEMORY_GROWTH_MIB ? [figures] : [],
      };
    }
    const results: SuiteResult[] = [];
    for (const kind of ATTACKS) results.push(await measureAttack(kind));
    return results;
  },
};
