import { expect } from 'vitest';
import type { Database } from '#platform/server/database/database.ts';
import type { StartedServerTool } from '#platform/server/tool.ts';
import { testOnSqlite } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { startReporter, listStory, type ReportedSegment } from '#testing/kits/usage/reports.ts';
import { serverTools } from '../../../../apps/server/tools.ts';
import { MAX_APPLICATIONS, MAX_SEGMENTS_PER_REPORT } from '../../contract/limits.ts';
import { createUsageStore, type UsageStore } from './store/usageStores.ts';

const DATE = '2026-10-20';
const at = (text: string): number => Temporal.Instant.from(`${DATE}T${text}Z`).epochMilliseconds;

const now = () => Temporal.Instant.from(`${DATE}T20:00:00Z`);
const createSegment = (number: number): ReportedSegment => ({
  app: `made up ${number}`,
  status: 'off',
  from: at('10:00:00'),
  until: at('10:00:01'),
});

/** The server's tools, and the parts of screen time that a page can't reach. */
function captureParts() {
  let parts: StartedServerTool | undefined;
  let store: UsageStore | undefined;
  let database: Database | undefined;
  const tools = serverTools.map((tool) => ({
    ...tool,
    start: (...given: Parameters<typeof tool.start>): StartedServerTool => {
      const started = tool.start(...given);
      if (tool.name === 'screentime') {
        parts = started;
        ({ database } = given[0]);
        store = createUsageStore(database);
      }
      return started;
    },
  }));
  function problems() {
    if (!parts || !store || !database) throw new Error('screen time has not started');
    return { database, store, nightly: parts.nightly, checkData: parts.checkData };
  }
  return { tools, found: problems };
}

testOnSqlite('titles are forgotten after 30 days, and the time they stood for stays', async ({ databaseUrl }) => {
  let time = Temporal.Instant.from(`${DATE}T20:00:00Z`);
  const own = captureParts();
  await using server = await startServer({ databaseUrl, tools: own.tools, now: () => time });
  const anna = await server.createAccount('anna');
  const { report } = await startReporter(server, anna);
  await report(1, [{ app: 'Editor', status: 'on', from: at('10:00:00'), until: at('11:00:00'), title: 'letter.txt' }]);
  time = Temporal.Instant.from('2026-11-19T10:59:59Z');
  await own.found().nightly?.();
  expect(await listStory(anna, DATE)).toEqual(['Editor on 10:00:00 11:00:00 letter.txt']);
  time = Temporal.Instant.from('2026-11-19T11:00:01Z');
  await own.found().nightly?.();
  expect(await listStory(anna, DATE)).toEqual(['Editor on 10:00:00 11:00:00']);
});

testOnSqlite('a computer that makes up names fills no account beyond its limit', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const { report } = await startReporter(server, anna);
  for (let first = 1; first < MAX_APPLICATIONS; first += MAX_SEGMENTS_PER_REPORT) {
    const segments = Array.from({ length: MAX_SEGMENTS_PER_REPORT }, (_, more) => createSegment(first + more));
    expect(await report(first, segments)).toEqual({ taken: first + MAX_SEGMENTS_PER_REPORT - 1 });
  }
  const beyond = [createSegment(MAX_APPLICATIONS + 1), createSegment(MAX_APPLICATIONS)];
  expect(await report(MAX_APPLICATIONS + 1, beyond)).toEqual({ taken: MAX_APPLICATIONS + 2, refused: 1 });
  expect(await listStory(anna, DATE)).toHaveLength(MAX_APPLICATIONS);
});

testOnSqlite('a server that ended while it followed a new home begins that again', async ({ databaseUrl }) => {
  const own = captureParts();
  await using server = await startServer({ databaseUrl, tools: own.tools, now });
  const anna = await server.createAccount('anna');
  const { report } = await startReporter(server, anna);
  await report(1, [{ app: 'Editor', status: 'on', from: at('10:00:00'), until: at('11:00:00') }]);
  const { database, store, checkData } = own.found();
  const [account = 0] = await store.revisions.listAccounts();
  const before = await store.revisions.find(account);
  // The state after a killed server: no day of Kathmandu is built yet. They are not read, so nothing is wrong.
  await database.transaction(async ({ tx }) => store.revisions.setNextZone(tx, account, 'Asia/Kathmandu'));
  expect(await checkData?.(false)).toEqual([]);
  await report(2, [{ app: 'Editor', status: 'on', from: at('12:00:00'), until: at('13:00:00') }]);
  await expect.poll(async () => (await store.revisions.find(account))?.nextZone).toBeUndefined();
  expect(await store.revisions.find(account)).toMatchObject({ zone: before?.zone, generation: before?.generation });
  expect(await checkData?.(false)).toEqual([]);
});
