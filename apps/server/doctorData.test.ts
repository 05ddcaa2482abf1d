import { expect } from 'vitest';
import type { ServerTool } from '#platform/server/tool.ts';
import { onBothDatabases } from '#testing/database.ts';
import { startReporter } from '#testing/reports.ts';
import { startServer } from '#testing/server.ts';
import { usageperiod } from '#tools/screentime/contract.ts';
import { askRunning, controlTool } from './control.ts';
import { serverTools } from './tools.ts';

const now = () => Temporal.Instant.from('2026-11-22T20:00:00Z');
const at = (text: string): number => Temporal.Instant.from(`2026-11-22T${text}Z`).epochMilliseconds;

onBothDatabases('doctor data finds what is counted wrongly, and counts it anew where it shall', async (storage) => {
  /** Spoils what was counted, as a fault of ours or of the disk would. */
  let spoil: (() => Promise<void>) | undefined;
  const spoiler: ServerTool = {
    name: 'spoiler',
    migrations: [],
    start: ({ database }) => {
      const db = database.db.$extendTables<{
        screentime_total: { seconds: number };
        screentime_day: { chunk: number };
        screentime_u15: { application: number };
      }>();
      spoil = async () => {
        await db.updateTable('screentime_total').set({ seconds: 1 }).execute();
        await db.deleteFrom('screentime_day').execute();
        await db.updateTable('screentime_u15').set({ application: 77 }).where('application', '=', 0).execute();
      };
      return { calls: [] };
    },
  };
  const { databaseUrl, dataDir } = storage;
  await using server = await startServer({ databaseUrl, dataDir, now, tools: [...serverTools, controlTool, spoiler] });
  const anna = await server.account('anna');
  const { report } = await startReporter(server, anna);
  await report(1, [
    { app: 'Firefox', status: 'on', from: at('10:00:00'), until: at('10:10:00') },
    { app: 'Code', status: 'on', from: at('10:10:00'), until: at('10:15:00') },
    { app: 'Firefox', status: 'off', from: at('10:10:00'), until: at('10:15:00') },
  ]);
  const doctor = async (mend: boolean) =>
    askRunning(dataDir, { words: ['doctor', 'data'], owner: false, yes: false, mend });
  const used = async () =>
    anna.call(usageperiod, { from: '2026-11-22', until: '2026-11-22', tz: 'UTC', deviceid: '-1' });
  const before = await used();
  expect(before.total).toBe(900);
  expect(await doctor(false)).toEqual({ said: 'ok   what is counted agrees with what it was counted from' });

  await spoil?.();
  expect(await used()).not.toEqual(before);
  const { refused } = (await doctor(false)) ?? {};
  expect(refused).toContain('LOOK screentime: screen time of account 1, computer 1 (Laptop): 8 counted values are not');
  expect(refused).toContain('Add --mend');
  expect(await used()).not.toEqual(before);
  expect((await doctor(true))?.said).toContain('they were counted anew');
  expect(await doctor(false)).toEqual({ said: 'ok   what is counted agrees with what it was counted from' });
  expect(await used()).toEqual(before);
});
