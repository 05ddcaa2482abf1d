import { expect } from 'vitest';
import { onBothDatabases } from '#testing/kits/server/database.ts';
import { startServerWithContext } from '#testing/kits/server/serverWithContext.ts';
import { startReporter } from '#testing/kits/usage/reports.ts';
import { writeSoundData } from '../../reading/server/applicationHandlers.ts';
import { createClosedDayCache } from '../../reading/server/closedDayCache.ts';
import { exportIntervals } from '../../reading/server/dayHandlers.ts';
import { createStoryReader } from '../../reading/server/storyHandlers.ts';
import { createCategoryStore } from '../../sorting/server/categoryStore.ts';
import { getZoneDays } from '../domain/days.ts';
import { createReadingStore, createUsageStore } from './store/usageStores.ts';
import { createUsageChanges } from './usageChanges.ts';

/** A complete day, so that values computed from it are cached. */
const DATE = '2026-08-10';
const BEGIN = Temporal.Instant.from(`${DATE}T06:00:00Z`).epochMilliseconds / 1000;
const LONG_AFTER = Temporal.Instant.from('2026-11-22T20:00:00Z');
const MINUTE = 60;
const names = (count: number) => Array.from({ length: count }, (_, index) => `Program ${index + 1}`);

onBothDatabases('a program first seen during a request has its name in every answer', async ({ databaseUrl }) => {
  const started = await startServerWithContext({ databaseUrl, now: () => LONG_AFTER });
  await using server = started.server;
  const { database } = started.context;
  const anna = await server.createAccount('anna');
  const { id, report } = await startReporter(server, anna);
  const account = 1;
  const changes = createUsageChanges();
  const storedUsage = createUsageStore(database);
  let reported = 0;
  async function nextProgram() {
    reported += 1;
    const from = BEGIN + reported * MINUTE;
    const until = from + MINUTE;
    await report(reported, [{ app: `Program ${reported}`, status: 'on', from: from * 1000, until: until * 1000 }]);
    changes.publish({ account, device: id, from, until });
  }
  /** The worst moment: directly after the names are read. */
  const usage = {
    ...storedUsage,
    applications: {
      ...storedUsage.applications,
      list: async (whose: number) => {
        const listed = await storedUsage.applications.list(whose);
        await nextProgram();
        return listed;
      },
    },
  };
  const days = getZoneDays('UTC');
  const today = days.getDay(LONG_AFTER.epochMilliseconds / 1000);
  const day = days.getDay(BEGIN);
  const range = { from: day, until: day };
  const scope = { account, device: undefined, days, mergesComputers: false };
  const sources = {
    usage,
    reading: createReadingStore(database),
    categories: createCategoryStore(database),
    running: { of: () => [] } as never,
    closedDays: createClosedDayCache(changes),
  };

  await nextProgram();
  const story = await createStoryReader(usage)(account, { from: BEGIN, until: BEGIN + 3600, device: undefined });
  expect(story.map(({ application }) => application)).toEqual(names(1));
  const exported: string[] = [];
  for await (const piece of exportIntervals(sources, scope, range))
    exported.push(...piece.map(({ application }) => application));
  expect(exported).toEqual(names(2));
  await writeSoundData(sources, scope, range, today);
  // Values computed meanwhile are not cached without it.
  const later = await writeSoundData({ ...sources, usage: storedUsage }, scope, range, today);
  expect(Object.keys(JSON.parse(later)[DATE])).toEqual(names(reported));
});
