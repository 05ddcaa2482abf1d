import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  waitForRecordings,
  createManualClock,
  getInboxPath,
  listGallery,
  putAndImport,
} from '#testing/kits/media/inbox.ts';
import { createRecording } from '#testing/kits/media/recordings.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { getSkipReason } from '#testing/machine.ts';
import { findOtherDisk } from '#testing/temporary.ts';

const otherDisk = findOtherDisk();

test.each(getSkipReason('ffmpeg') === undefined && otherDisk !== undefined ? ['gallery', 'gallery/inbox'] : [])(
  'files in the inbox are imported if %s is on another disk',
  async (folder) => {
    const [dataDir, disk] = [
      await mkdtemp(join(tmpdir(), 'pegboard-')),
      await mkdtemp(join(otherDisk ?? '', 'pegboard-')),
    ];
    onTestFinished(async () => {
      for (const path of [dataDir, disk]) await rm(path, { recursive: true });
    });
    await mkdir(dirname(join(dataDir, folder)), { recursive: true });
    await symlink(disk, join(dataDir, folder));
    const clock = createManualClock();
    await using server = await startServer({ dataDir, now: clock.now });
    const setup = { server, clock, anna: await server.createAccount('anna') };
    await putAndImport(setup, 'Replay 2026-11-20 21-04-05.webm', await createRecording('webm'));
    await waitForRecordings(setup, 1);
    expect((await listGallery(setup.anna)).files[0]?.videos[0]).toMatchObject({ title: 'Replay', cut: false });
    expect(await readdir(getInboxPath(server))).toEqual([]);
  },
);
