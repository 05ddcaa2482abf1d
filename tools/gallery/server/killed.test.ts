import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { signup } from '#platform/contract/session.ts';
import { createRecording } from '#testing/kits/media/recordings.ts';
import { waitForFile, listFiles, blockWrites, pollUntil } from '#testing/kits/server/killedServer.ts';
import { TEST_PASSWORD } from '#testing/kits/server/server.ts';
import { getServerProgram } from '#testing/kits/server/serverProgram.ts';
import { findFreePort, startServerProgram } from '../../../testing/journeys/program.ts';
import { cwlt } from '../contract.ts';

const NAME = '2026-11-20 21-04-05.mkv';
/** As long as its encoding takes some seconds. */
const SECONDS = 20;
/** The last that is done in its folder. */
const DRAWN = /^work\/\d+\/thumbnail\.png$/;
const PLACED = /^gallery\/videos\/[\w-]{22}\.webm$/;

interface Stage {
  readonly name: string;
  /** What stands in the data folder once it has begun. */
  readonly begins: RegExp;
}
const SAVED_STAGE: Stage = { name: 'the video is in its place, and no row tells of it yet', begins: PLACED };
/** No more than three: a recording that was begun so often as to end the server each time is put aside. */
const STAGES: readonly Stage[] = [
  { name: 'fetching', begins: /^work\/\d+\/media\.mkv$/ },
  { name: 'converting', begins: /^work\/\d+\/final\.webm$/ },
  SAVED_STAGE,
];
const isOfJobs = (file: string): boolean => /^(gallery|work)\//.test(file);

// A server of its own is killed and started again many times.
test(
  'a server that is killed in the middle of anything goes on with a recording, and keeps it once and whole',
  { timeout: 240_000 },
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
    const port = await findFreePort();
    const program = await getServerProgram('main');
    const origin = `http://127.0.0.1:${port}`;
    let token = '';
    const call = createClient({ origin, token: () => token });
    const startDoing = async (stage: Stage): Promise<void> => {
      await using server = await startServerProgram(dataDir, port, { program });
      if (token === '') {
        ({ token } = await call(signup, { username: 'Ada', password: TEST_PASSWORD }));
        await mkdir(join(dataDir, 'gallery/inbox'), { recursive: true });
        await writeFile(join(dataDir, 'gallery/inbox', NAME), await createRecording('mkv', SECONDS));
      }
      if (stage === SAVED_STAGE) await waitForFile(dataDir, DRAWN);
      using _held = stage === SAVED_STAGE ? blockWrites(dataDir) : undefined;
      await waitForFile(dataDir, stage.begins);
      await server.end('SIGKILL');
    };
    try {
      await mkdir(join(dataDir, 'work'));
      for (const stage of STAGES) {
        await startDoing(stage);
        // Nothing that this stage has left is taken for a sign of the next.
        const left = (await listFiles(dataDir)).filter((file) => /^work\/\d+\/(final|thumbnail)\./.test(file));
        await Promise.all(left.map((file) => rm(join(dataDir, file))));
        const placed = (await listFiles(dataDir)).filter((file) => PLACED.test(file));
        expect(placed.length, stage.name).toBe(stage === SAVED_STAGE ? 1 : 0);
      }
      const placed = (await listFiles(dataDir)).filter((file) => PLACED.test(file));
      await using server = await startServerProgram(dataDir, port, { program });
      const { files } = await pollUntil(
        () => call(cwlt, {}),
        ({ files: found, own }) => found.length > 0 || own?.broken.length !== 0,
      );
      expect(files).toMatchObject([{ files: [expect.any(String)], videos: [{ cut: false }] }]);
      const [video = ''] = files[0]?.files ?? [];
      // Its folder goes once it is said to be done.
      const kept = await pollUntil(
        async () => (await listFiles(dataDir)).filter(isOfJobs).toSorted(),
        (names) => !names.some((name) => name.startsWith('work/')),
      );
      expect(kept).toEqual([`gallery/videos/${video}.png`, `gallery/videos/${video}.webm`]);
      expect(placed).toEqual([`gallery/videos/${video}.webm`]);
      await server.end('SIGTERM');
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  },
);
