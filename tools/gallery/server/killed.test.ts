import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signup } from '#platform/contract/session.ts';
import { createRecording } from '#testing/kits/media/recordings.ts';
import { waitForFile, listFiles, blockWrites, pollUntil } from '#testing/kits/server/killedServer.ts';
import { createPatientClient } from '#testing/kits/server/patientClient.ts';
import { TEST_PASSWORD } from '#testing/kits/server/server.ts';
import { getServerProgram } from '#testing/kits/server/serverProgram.ts';
import { findFreePort, startServerProgram } from '../../../testing/journeys/program.ts';
import { cwlt } from '../contract.ts';

const NAME = '2026-11-20 21-04-05.mkv';
/** Long enough that encoding takes some seconds. */
const SECONDS = 20;
/** The last step in its folder. */
const DRAWN = /^work\/\d+\/thumbnail\.png$/;
const PLACED = /^gallery\/videos\/[\w-]{22}\.webm$/;

interface Stage {
  readonly name: string;
  /** Files in the data folder once it has started. */
  readonly begins: RegExp;
}
const SAVED_STAGE: Stage = { name: 'the video is in its place, and no row tells of it yet', begins: PLACED };
/** At most three: a recording that was started too often is put aside. */
const STAGES: readonly Stage[] = [
  { name: 'fetching', begins: /^work\/\d+\/media\.mkv$/ },
  { name: 'converting', begins: /^work\/\d+\/final\.webm$/ },
  SAVED_STAGE,
];
const isOfJobs = (file: string): boolean => /^(gallery|work)\//.test(file);

// Kills and restarts a server of its own many times.
test(
  'a server that is killed at any step continues with a recording, and stores it once and completely',
  { timeout: 240_000 },
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
    const port = await findFreePort();
    const program = await getServerProgram('main');
    const origin = `http://127.0.0.1:${port}`;
    let token = '';
    const call = createPatientClient({ origin, token: () => token });
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
        // Remains of this step must not count as a sign of the next one.
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
      // The folder is removed once the job is reported as done.
      const videoFiles = await pollUntil(
        async () => (await listFiles(dataDir)).filter(isOfJobs).toSorted(),
        (names) => !names.some((name) => name.startsWith('work/')),
      );
      expect(videoFiles).toEqual([`gallery/videos/${video}.png`, `gallery/videos/${video}.webm`]);
      expect(placed).toEqual([`gallery/videos/${video}.webm`]);
      await server.end('SIGTERM');
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  },
);
