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
const THUMBNAIL_PATTERN = /^work\/\d+\/thumbnail\.png$/;
const STORED_VIDEO_PATTERN = /^gallery\/videos\/[\w-]{22}\.webm$/;

interface Stage {
  readonly name: string;
  /** Matches a file that exists once the stage has started. */
  readonly startPattern: RegExp;
}
const SAVED_STAGE: Stage = { name: 'the video is stored without a row', startPattern: STORED_VIDEO_PATTERN };
/** At most three, because a recording that is started more often is set aside. */
const STAGES: readonly Stage[] = [
  { name: 'fetching', startPattern: /^work\/\d+\/media\.mkv$/ },
  { name: 'converting', startPattern: /^work\/\d+\/final\.webm$/ },
  SAVED_STAGE,
];
const isJobFile = (file: string): boolean => /^(gallery|work)\//.test(file);

// Kills and restarts its own server many times.
test(
  'a recording is stored once and completely, no matter when the server is killed',
  { timeout: 240_000 },
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
    const port = await findFreePort();
    const program = await getServerProgram('main');
    const origin = `http://127.0.0.1:${port}`;
    let token = '';
    const call = createPatientClient({ origin, token: () => token });
    async function runUntil(stage: Stage): Promise<void> {
      await using server = await startServerProgram(dataDir, port, { program });
      if (token === '') {
        ({ token } = await call(signup, { username: 'Ada', password: TEST_PASSWORD }));
        await mkdir(join(dataDir, 'gallery/inbox'), { recursive: true });
        await writeFile(join(dataDir, 'gallery/inbox', NAME), await createRecording('mkv', SECONDS));
      }
      if (stage === SAVED_STAGE) await waitForFile(dataDir, THUMBNAIL_PATTERN);
      using _blocked = stage === SAVED_STAGE ? blockWrites(dataDir) : undefined;
      await waitForFile(dataDir, stage.startPattern);
      await server.end('SIGKILL');
    }
    try {
      await mkdir(join(dataDir, 'work'));
      for (const stage of STAGES) {
        await runUntil(stage);
        // Remains of this step must not count as a sign of the next one.
        const leftovers = (await listFiles(dataDir)).filter((file) => /^work\/\d+\/(final|thumbnail)\./.test(file));
        await Promise.all(leftovers.map((file) => rm(join(dataDir, file))));
        const storedVideos = (await listFiles(dataDir)).filter((file) => STORED_VIDEO_PATTERN.test(file));
        expect(storedVideos.length, stage.name).toBe(stage === SAVED_STAGE ? 1 : 0);
      }
      const storedVideos = (await listFiles(dataDir)).filter((file) => STORED_VIDEO_PATTERN.test(file));
      await using server = await startServerProgram(dataDir, port, { program });
      const { files } = await pollUntil(
        () => call(cwlt, {}),
        ({ files: sessions, own }) => sessions.length > 0 || own?.broken.length !== 0,
      );
      expect(files).toMatchObject([{ files: [expect.any(String)], videos: [{ cut: false }] }]);
      const [video = ''] = files[0]?.files ?? [];
      // The folder is removed once the job is reported as done.
      const videoFiles = await pollUntil(
        async () => (await listFiles(dataDir)).filter(isJobFile).toSorted(),
        (names) => !names.some((name) => name.startsWith('work/')),
      );
      expect(videoFiles).toEqual([`gallery/videos/${video}.png`, `gallery/videos/${video}.webm`]);
      expect(storedVideos).toEqual([`gallery/videos/${video}.webm`]);
      await server.end('SIGTERM');
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  },
);
