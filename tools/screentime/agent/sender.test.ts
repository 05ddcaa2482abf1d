import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { AgentContext } from '#platform/agent/tool.ts';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { startReporter } from '#testing/kits/usage/reports.ts';
import { usagestory, type reportusage } from '../contract.ts';
import type { ReportedInterval } from '../usage/domain/interval.ts';
import { createSender, type Sender } from './measuring.ts';
import { openSpool, type Spool } from './usageSpool.ts';

type ReportRequest = RequestInputOf<typeof reportusage>;
type Fault = 'none' | 'lost on the way' | 'answer lost' | 'busy' | 'forgetful';

/** Creates a server that follows the contract, with connections that break. */
function createServer() {
  let last = new Map<string, number>();
  let accepted: readonly ReportRequest['segments'][number][] = [];
  let copy = { last, taken: accepted };
  let fault: Fault = 'none';
  function acceptReport({ boot, seq, dropped, segments }: ReportRequest) {
    const before = last.get(boot) ?? 0;
    if (seq > before + 1 && !dropped) return { taken: before, awaited: before + 1 };
    accepted = [...accepted, ...segments.slice(Math.max(0, before + 1 - seq))];
    last = new Map([...last, [boot, Math.max(before, seq + segments.length - 1)]]);
    return { taken: last.get(boot) ?? 0 };
  }
  return {
    taken: () => accepted,
    /** Sets the fault of the next call. */
    have: (next: Fault): void => {
      fault = next;
    },
    keepCopy: (): void => {
      copy = { last, taken: accepted };
    },
    call: (async (_: unknown, sent: ReportRequest) => {
      const now = fault;
      fault = 'none';
      if (now === 'forgetful') ({ last, taken: accepted } = copy);
      if (now === 'busy') throw new CallError(429, 'Too many requests');
      if (now === 'lost on the way') throw new CallError(0, 'The server cannot be reached');
      const answer = acceptReport(sent);
      if (now === 'answer lost') throw new CallError(0, 'The server cannot be reached');
      return answer;
    }) as unknown as AgentContext['call'],
  };
}

function startSender(spool: Spool, call: AgentContext['call'], printed: string[] = [], serverNow = 0): Sender {
  const sender = createSender({
    call,
    spool,
    print: (line) => void printed.push(line),
    clock: () => 0,
    serverNow: async () => serverNow,
  });
  onTestFinished(sender.stop);
  return sender;
}
const createInterval = (from: number): ReportedInterval => ({ app: 'Editor', status: 'on', from, until: from + 1 });

type Step =
  | { readonly kind: 'use'; readonly count: number }
  | { readonly kind: 'send'; readonly fault: Fault }
  | { readonly kind: 'restart' };
const randomStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('use' as const), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({
    kind: fc.constant('send' as const),
    fault: fc.constantFrom<Fault>('none', 'lost on the way', 'answer lost', 'busy'),
  }),
  fc.constant({ kind: 'restart' as const }),
);

test('whatever fails, every interval is accepted once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(randomStep, { maxLength: 25 }), async (steps) => {
      const folder = createTempFolderSync();
      const server = createServer();
      const open = (): Spool => openSpool({ folder, print: () => undefined });
      let spool = open();
      let sender = startSender(spool, server.call);
      let used = 0;
      for (const step of steps) {
        if (step.kind === 'use') {
          spool.write(
            'desktop',
            Array.from({ length: step.count }, (_, more) => createInterval(used + more)),
            [],
          );
          used += step.count;
        } else if (step.kind === 'send') {
          server.have(step.fault);
          await sender.send();
        } else {
          sender.stop();
          spool.close();
          spool = open();
          sender = startSender(spool, server.call);
        }
      }
      server.have('none');
      await sender.send();
      expect(server.taken().map(({ from }) => from)).toEqual(Array.from({ length: used }, (_, index) => index));
      expect(spool.countReports().waiting).toBe(0);
      sender.stop();
      spool.close();
    }),
    { numRuns: 25 },
  );
});

test('a server restored from a backup continues with what it receives, even if some intervals are lost', async () => {
  const spool = openSpool({ folder: createTempFolderSync(), print: () => undefined });
  const server = createServer();
  const sender = startSender(spool, server.call);
  spool.write('desktop', [createInterval(0), createInterval(1)], []);
  await sender.send();
  server.keepCopy();
  spool.write('desktop', [createInterval(2)], []);
  await sender.send();
  server.have('forgetful');
  spool.write('desktop', [createInterval(3)], []);
  await sender.send();
  expect(server.taken().map(({ from }) => from)).toEqual([0, 1, 3]);
  expect(spool.countReports().waiting).toBe(0);
});

test('times are corrected to the server’s clock, and adjacent intervals touch however precise the offset is', async () => {
  const folder = createTempFolderSync();
  const server = createServer();
  let ahead = 3_600_000;
  const spool = openSpool({ folder, print: () => undefined });
  const sender = createSender({
    call: server.call,
    spool,
    print: () => undefined,
    clock: () => 0,
    serverNow: async () => ahead,
  });
  spool.write('desktop', [createInterval(0)], []);
  await sender.send();
  ahead += 400;
  spool.write('desktop', [createInterval(1)], []);
  await sender.send();
  ahead += 5000;
  spool.write('desktop', [createInterval(2)], []);
  await sender.send();
  expect(server.taken().map(({ from }) => from)).toEqual([3_600_000, 3_600_001, 3_605_402]);
  sender.stop();
  spool.close();
});

test('the duration of the clock measurement does not matter', async () => {
  const server = createServer();
  const spool = openSpool({ folder: createTempFolderSync(), print: () => undefined });
  let time = 0;
  const sender = createSender({
    call: server.call,
    spool,
    print: () => undefined,
    clock: () => time,
    serverNow: async () => {
      time += 2000;
      return 3_600_000 + time;
    },
  });
  spool.write('desktop', [createInterval(0)], []);
  await sender.send();
  expect(server.taken().map(({ from }) => from)).toEqual([3_600_000]);
  sender.stop();
  spool.close();
});

test('intervals that the server can’t read are skipped and reported, and the rest follows', async () => {
  const spool = openSpool({ folder: createTempFolderSync(), print: () => undefined });
  const printed: string[] = [];
  const server = createServer();
  const picky = (async (contract: never, sent: ReportRequest) => {
    if (sent.segments.some(({ from }) => from === 7)) throw new CallError(400, 'segments: no');
    return server.call(contract, sent as never);
  }) as unknown as AgentContext['call'];
  spool.write(
    'desktop',
    Array.from({ length: 15 }, (_, index) => createInterval(index)),
    [],
  );
  const sender = startSender(spool, picky, printed);
  await sender.send();
  expect(server.taken().map(({ from }) => from)).toEqual([0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14]);
  expect(printed).toEqual([expect.stringContaining('is skipped')]);
  expect(sender.status()).toEqual([expect.stringContaining('records rejected by the server: 1')]);
});

test('a removed computer stops uploading, and keeps its spool', async () => {
  const spool = openSpool({ folder: createTempFolderSync(), print: () => undefined });
  let calls = 0;
  const sender = startSender(spool, () => {
    calls += 1;
    return Promise.reject(new InvalidTokenRefusal());
  });
  spool.write('desktop', [createInterval(0)], []);
  await sender.send();
  await sender.send();
  expect(calls).toBe(1);
  expect(spool.countReports().waiting).toBe(1);
  expect(sender.status()).toEqual([expect.stringContaining('removed from the account')]);
});

test('intervals of days without a connection are uploaded completely, even if the agent was killed', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  const { call } = await startReporter(server, anna);
  const HOUR = 3_600_000;
  const started = Math.floor(Date.now() / 1000) * 1000 - 100 * HOUR;
  const received = (app: string, from: number, until: number): ReportedInterval => ({
    app,
    status: 's',
    from: started + from * HOUR,
    until: started + until * HOUR,
  });
  const folder = createTempFolderSync();
  const first = openSpool({ folder, print: () => undefined });
  first.write('desktop', [received('Radio', 0, 30)], [received('Tune', 1, 40)]);
  first.close();
  const spool = openSpool({
    folder,
    print: () => undefined,
    lastSignOfLife: { source: 'desktop', until: started + 50 * HOUR },
  });
  const now = Date.now();
  const sender = createSender({ call, spool, print: () => undefined, clock: () => now, serverNow: async () => now });
  spool.write('desktop', [received('Radio', 60, 99)], []);
  await sender.send();
  expect(sender.status()).toEqual([]);
  const { stretches: intervals } = await anna.call(usagestory, { from: String(started), until: String(now) });
  const sumHours = (name: string): number =>
    intervals.reduce((sum, { application, from, until }) => sum + (application === name ? until - from : 0), 0) / HOUR;
  expect([sumHours('Radio'), sumHours('Tune')]).toEqual([30 + 39, 49]);
  sender.stop();
  spool.close();
});
