import { expect } from 'vitest';
import type { StartedServerTool, ServerTool } from '#platform/server/tool.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, TEST_PASSWORD } from '#testing/kits/server/server.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { startReporter, listStory } from '#testing/kits/usage/reports.ts';
import { deleteaccount, exportaccount } from '#tools/accounts/contract.ts';
import { renamedevice, revokedevice } from '#tools/devices/contract.ts';
import { usagedays } from '#tools/screentime/contract.ts';
import { screentime } from '#tools/screentime/server/index.ts';
import { serverTools } from './tools.ts';

const DATE = '2026-11-22';
const toMs = (text: string): number => Temporal.Instant.from(`${DATE}T${text}Z`).epochMilliseconds;

testOnBothDatabases(
  'nightly cleanup, a new home zone, the export and deleting an account leave the right usage data',
  async (storage) => {
    let time = Temporal.Instant.from(`${DATE}T23:30:00Z`);
    let startedTool: StartedServerTool | undefined;
    const watchedScreenTime: ServerTool = {
      ...screentime,
      start: (context, site) => (startedTool = screentime.start(context, site)),
    };
    const { databaseUrl } = storage;
    const tools = serverTools.map((tool) => (tool === screentime ? watchedScreenTime : tool));
    await using server = await startServer({ databaseUrl, now: () => time, tools });
    const [, anna] = [await server.createAccount('owner'), await server.createAccount('anna')];
    const { id, report } = await startReporter(server, anna, 'Laptop');
    const runNightlyCleanup = async () => startedTool?.nightly?.();
    const checkData = async () => startedTool?.checkData?.(false);
    const listDays = async (tz: string) =>
      (await anna.call(usagedays, { from: '2026-11-21', until: '2026-11-24', tz, deviceid: '-1' })).days;

    // Half before midnight in Berlin, half after it.
    expect(await listDays('Europe/Berlin')).toEqual({});
    await report(1, [
      { app: 'Firefox', status: 'on', from: toMs('22:30:00'), until: toMs('23:20:00'), title: 'News' },
      { app: 'Music', status: 's', from: toMs('23:00:00'), until: toMs('23:10:00') },
    ]);
    const berlinDays = { '2026-11-22': 1800, '2026-11-23': 1200 };
    expect(await listDays('Europe/Berlin')).toEqual(berlinDays);
    // A page sends another home zone: it applies immediately, and to past days after the night.
    const tongaDays = { '2026-11-23': 3000 };
    expect(await listDays('Pacific/Tongatapu')).toEqual(tongaDays);
    await runNightlyCleanup();
    expect(await listDays('Pacific/Tongatapu')).toEqual(tongaDays);
    expect(await listDays('Europe/Berlin')).toEqual(berlinDays);
    expect(await checkData()).toEqual([]);

    // A removed computer keeps its last name.
    await anna.call(renamedevice, { id, name: 'Old laptop' });
    await runNightlyCleanup();
    await anna.call(revokedevice, { id });
    expect(await listStory(anna, DATE)).toEqual(['Firefox on 22:30:00 23:20:00 News', 'Music s 23:00:00 23:10:00']);
    async function exportScreenTime() {
      const { content } = await anna.call(exportaccount, { password: TEST_PASSWORD });
      return readJsonFromZip(readZip(await content.bytes()), 'screentime.json');
    }
    expect(await exportScreenTime()).toMatchObject({
      computers: [{ id, name: 'Old laptop' }],
      applications: [{ name: 'Firefox' }, { name: 'Music' }],
      stretches: [
        {
          device: id,
          application: 'Firefox',
          status: 'on',
          from: `${DATE}T22:30:00Z`,
          until: `${DATE}T23:20:00Z`,
          title: 'News',
        },
        { device: id, application: 'Music', status: 's', from: `${DATE}T23:00:00Z`, until: `${DATE}T23:10:00Z` },
      ],
    });

    // Titles are stored for 30 days, times indefinitely.
    time = time.add({ hours: 24 * 29 });
    await runNightlyCleanup();
    expect(await listStory(anna, DATE)).toContain('Firefox on 22:30:00 23:20:00 News');
    time = time.add({ hours: 25 });
    await runNightlyCleanup();
    expect(await listStory(anna, DATE)).toContain('Firefox on 22:30:00 23:20:00');

    await anna.call(deleteaccount, { password: TEST_PASSWORD, username: 'anna' });
    const newAnna = await server.createAccount('anna');
    expect(await listStory(newAnna, DATE)).toEqual([]);
    expect(await checkData()).toEqual([]);
    expect(server.log.filter((line) => line.includes('http.request.failed'))).toEqual([]);
  },
);
