import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ServerTool } from '#platform/server/tool.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { startReporter } from '#testing/kits/usage/reports.ts';
import { usageperiod } from '#tools/screentime/contract.ts';
import { requestFromRunningServer, controlTool } from './controlSocket.ts';
import { serverTools } from './tools.ts';

const now = () => Temporal.Instant.from('2026-11-22T20:00:00Z');
const toMs = (text: string): number => Temporal.Instant.from(`2026-11-22T${text}Z`).epochMilliseconds;

testOnBothDatabases('doctor data finds wrong counts, and repairs them if requested', async (storage) => {
  /** Damages counted data, like a bug or a faulty disk. */
  let damageTotals: (() => Promise<void>) | undefined;
  /** A recording whose video is missing. */
  let addRecording: (() => Promise<void>) | undefined;
  let removeRecording: (() => Promise<void>) | undefined;
  const damagingTool: ServerTool = {
    name: 'damage',
    migrations: [],
    start: ({ database }) => {
      const db = database.db.$extendTables<{
        screentime_total: { seconds: number };
        screentime_day: { chunk: number };
        screentime_u15: { application: number };
        gallery_video: Record<'account' | 'start' | 'duration' | 'width' | 'height' | 'bytes', number> &
          Record<'file' | 'title', string> &
          Record<'is_public' | 'is_cut', number>;
      }>();
      addRecording = async () => {
        const row = { account: 1, file: 'gone', title: '', start: 0, duration: 1, width: 1, height: 1, bytes: 1 };
        await db
          .insertInto('gallery_video')
          .values({ ...row, is_public: 0, is_cut: 0 })
          .execute();
      };
      removeRecording = async () => void (await db.deleteFrom('gallery_video').execute());
      damageTotals = async () => {
        await db.updateTable('screentime_total').set({ seconds: 1 }).execute();
        await db.deleteFrom('screentime_day').execute();
        await db.updateTable('screentime_u15').set({ application: 77 }).where('application', '=', 0).execute();
      };
      return { calls: [] };
    },
  };
  const { databaseUrl, dataDir } = storage;
  await using server = await startServer({
    databaseUrl,
    dataDir,
    now,
    tools: [...serverTools, controlTool, damagingTool],
  });
  const anna = await server.createAccount('anna');
  const { report } = await startReporter(server, anna);
  await report(1, [
    { app: 'Firefox', status: 'on', from: toMs('10:00:00'), until: toMs('10:10:00') },
    { app: 'Code', status: 'on', from: toMs('10:10:00'), until: toMs('10:15:00') },
    { app: 'Firefox', status: 'off', from: toMs('10:10:00'), until: toMs('10:15:00') },
  ]);
  const runDoctor = async (mend: boolean) =>
    requestFromRunningServer(dataDir, { words: ['doctor', 'data'], owner: false, yes: false, mend });
  const getUsage = async () =>
    anna.call(usageperiod, { from: '2026-11-22', until: '2026-11-22', tz: 'UTC', deviceid: '-1' });
  const before = await getUsage();
  expect(before.total).toBe(900);
  expect(await runDoctor(false)).toEqual({ said: 'ok   stored totals and files are correct' });

  await damageTotals?.();
  await addRecording?.();
  const orphan = join(dataDir, 'gallery', 'videos', 'orphan.webm');
  await mkdir(join(orphan, '..'), { recursive: true });
  await writeFile(orphan, '');
  // What only a person can repair is never reported as repaired.
  const manualProblems = [
    expect.stringMatching(
      /^LOOK gallery: the video of 1970-01-01T00:00:00.000Z of account 1 is missing. Restore .*gone/,
    ),
    'LOOK gallery: gallery/videos/orphan.webm does not belong to a recording. Delete it, or move it to the inbox',
  ];
  expect(await getUsage()).not.toEqual(before);
  const { refused } = (await runDoctor(false)) ?? {};
  expect(refused?.split('\n')).toEqual([
    expect.stringContaining(
      'LOOK screentime: screen time of account 1, computer 1 (Laptop): 8 totals do not match the recorded intervals',
    ),
    ...manualProblems,
    'Add --mend to repair the totals',
  ]);
  expect(await getUsage()).not.toEqual(before);
  expect((await runDoctor(true))?.refused?.split('\n')).toEqual([
    expect.stringMatching(/^ok {3}screentime: .* and were recalculated$/),
    ...manualProblems,
  ]);
  await removeRecording?.();
  await rm(orphan);
  expect(await runDoctor(false)).toEqual({ said: 'ok   stored totals and files are correct' });
  expect(await getUsage()).toEqual(before);
});
