import { expect } from 'vitest';
import type { StartedServerTool, ServerTool } from '#platform/server/tool.ts';
import { onBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, TEST_PASSWORD } from '#testing/kits/server/server.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { startReporter, listStory } from '#testing/kits/usage/reports.ts';
import { deleteaccount, exportaccount } from '#tools/accounts/contract.ts';
import { renamedevice, revokedevice } from '#tools/devices/contract.ts';
import { usagedays } from '#tools/screentime/contract.ts';
import { screentime } from '#tools/screentime/server/index.ts';
import { serverTools } from './tools.ts';

const DATE = '2026-11-22';
const at = (text: string): number => Temporal.Instant.from(`${DATE}T${text}Z`).epochMilliseconds;

onBothDatabases(
  'nightly cleanup, a new home zone, the export and deleting an account leave the right usage data',
  async (storage) => {
    let time = Temporal.Instant.from(`${DATE}T23:30:00Z`);
    let parts: StartedServerTool | undefined;
    const watched: ServerTool = { ...screentime, start: (context, site) => (parts = screentime.start(context, site)) };
    const { databaseUrl } = storage;
    const tools = serverTools.map((tool) => (tool === screentime ? watched : tool));
    await using server = await startServer({ databaseUrl, now: () => time, tools });
    const [, anna] = [await server.createAccount('owner'), await server.createAccount('anna')];
    const { id, report } = await startReporter(server, anna, 'Laptop');
    const night = async () => parts?.nightly?.();
    const check = async () => parts?.checkData?.(false);
    const listDays = async (tz: string) =>
      (await anna.call(usagedays, { from: '2026-11-21', until: '2026-11-24', tz, deviceid: '-1' })).days;

    // Half before midnight in Berlin, half after it.
    expect(await listDays('Europe/Berlin')).toEqual({});
    await report(1, [
      { app: 'Firefox', status: 'on', from: at('22:30:00'), until: at('23:20:00'), title: 'News' },
      { app: 'Music', status: 's', from: at('23:00:00'), until: at('23:10:00') },
    ]);
    const berlin = { '2026-11-22': 1800, '2026-11-23': 1200 };
    expect(await listDays('Europe/Berlin')).toEqual(berlin);
    // A page sends another home zone: it applies immediately, and to past days after the night.
    const tonga = { '2026-11-23': 3000 };
    expect(await listDays('Pacific/Tongatapu')).toEqual(tonga);
    await night();
    expect(await listDays('Pacific/Tongatapu')).toEqual(tonga);
    expect(await listDays('Europe/Berlin')).toEqual(berlin);
    expect(await check()).toEqual([]);

    // A removed computer keeps its last name.
    await anna.call(renamedevice, { id, name: 'Old laptop' });
    await night();
    await anna.call(revokedevice, { id });
    expect(await listStory(anna, DATE)).toEqual(['Firefox on 22:30:00 23:20:00 News', 'Music s 23:00:00 23:10:00']);
    const exported = async () => {
      const { content } = await anna.call(exportaccount, { password: TEST_PASSWORD });
      return readJsonFromZip(readZip(await content.bytes()), 'screentime.json');
    };
    expect(await exported()).toMatchObject({
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
    await night();
    expect(await listStory(anna, DATE)).toContain('Firefox on 22:30:00 23:20:00 News');
    time = time.add({ hours: 25 });
    await night();
    expect(await listStory(anna, DATE)).toContain('Firefox on 22:30:00 23:20:00');

    await anna.call(deleteaccount, { password: TEST_PASSWORD, username: 'anna' });
    const again = await server.createAccount('anna');
    expect(await listStory(again, DATE)).toEqual([]);
    expect(await check()).toEqual([]);
    expect(server.log.filter((line) => line.includes('http.request.failed'))).toEqual([]);
  },
);
