import { chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { loneCluster } from '#platform/server/cluster/cluster.ts';
import { aloneOnDatabase } from '#platform/server/database/coordination.ts';
import { createFileStorage } from '#platform/server/storage/fileStorage.ts';
import { createManualClock } from '#testing/kits/media/inbox.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { INBOX_FOLDER } from './galleryFiles.ts';
import { type ReadyFile, createInbox } from './inbox.ts';

const NOBODY = 65_534;

/** Fakes a probe: files that start with `whole` have a length. */
async function probe(_: unknown, { folder, name }: { readonly folder: string; readonly name: string }) {
  const seconds = (await readFile(join(folder, name), 'utf8')).startsWith('whole') ? 2 : undefined;
  return { format: '', seconds, audio: undefined, video: { codec: 'vp9', width: 2, height: 2, pixels: 'yuv420p' } };
}

/** Opens an inbox of account 1. */
async function openInbox(queueOnce: (file: ReadyFile) => Promise<boolean>) {
  const dataDir = await createTempFolder();
  const files = createFileStorage(dataDir);
  await mkdir(files.getPath(INBOX_FOLDER), { recursive: true });
  const clock = createManualClock();
  const deps = {
    files,
    media: { probe },
    identity: { findOwner: async () => ({ id: 1 }), findAccount: async () => ({ id: 1 }) },
    programs: { getSetupProblem: async () => '' },
    log: pino({ level: 'silent' }),
    cluster: loneCluster,
    database: { coordination: aloneOnDatabase },
  } as unknown as Parameters<typeof createInbox>[0]['context'];
  const inbox = createInbox({
    context: deps,
    queueOnce,
    hasOpenJob: async () => true,
    onChange: () => undefined,
    now: () => clock.now().epochMilliseconds,
  });
  onTestFinished(inbox.stop);
  await inbox.scan();
  return {
    dataDir,
    folder: inbox.folder,
    listWaiting: () => Object.fromEntries(inbox.listWaiting(1).map(({ name, state }) => [name, state])),
    scanAfter: async (seconds: number): Promise<void> => {
      clock.pass(seconds * 1000);
      await inbox.scan();
    },
  };
}

test.runIf(process.getuid?.() === 0)(
  'a file of another system user is imported; one that the server can’t read stays and is reported',
  async () => {
    const readyFiles: ReadyFile[] = [];
    const inbox = await openInbox(async (file) => readyFiles.push(file) > 0);
    for (const folder of [inbox.dataDir, join(inbox.dataDir, 'gallery'), inbox.folder])
      await chown(folder, NOBODY, NOBODY);
    await writeFile(join(inbox.folder, 'foreign.mkv'), 'whole', { mode: 0o644 });
    await writeFile(join(inbox.folder, 'locked.mkv'), 'whole', { mode: 0o600 });
    await rm(join(inbox.dataDir, 'gallery', 'looks'), { recursive: true, force: true });
    onTestFinished(() => process.seteuid?.(0));
    process.seteuid?.(NOBODY);
    await inbox.scanAfter(0);
    for (let minute = 0; minute < 20; minute += 1) await inbox.scanAfter(60);
    expect(readyFiles.map(({ name, isCut }) => ({ name, isCut }))).toEqual([{ name: 'foreign.mkv', isCut: false }]);
    expect(inbox.listWaiting()['locked.mkv']).toBe("The server can't read this file. Give its user read permission");
    expect((await readdir(inbox.folder)).toSorted()).toEqual(['foreign.mkv', 'locked.mkv']);
    expect(await readdir(join(inbox.dataDir, 'gallery', 'looks'))).toEqual([]);
  },
);

test('a file for which no job could be queued waits until one can be queued', async () => {
  const results = [() => Promise.reject(new Error('no database')), async () => false, async () => true];
  let requestCount = 0;
  const inbox = await openInbox(async () => results[requestCount++]?.() ?? true);
  await writeFile(join(inbox.folder, 'one.mkv'), 'whole');
  await inbox.scanAfter(0);
  await inbox.scanAfter(11);
  expect([requestCount, Object.keys(inbox.listWaiting())]).toEqual([1, ['one.mkv']]);
  await inbox.scanAfter(31);
  expect([requestCount, Object.keys(inbox.listWaiting())]).toEqual([2, ['one.mkv']]);
  await inbox.scanAfter(31);
  expect([requestCount, inbox.listWaiting()]).toEqual([3, {}]);
});
