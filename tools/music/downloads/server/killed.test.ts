import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClient, type Client } from '#platform/contract/client.ts';
import { signup } from '#platform/contract/session.ts';
import { findFreePort, startServerProgram } from '#testing/journeys/program.ts';
import { startMediaSite } from '#testing/kits/media/mediaSite.ts';
import { waitForFile, listFiles, blockWrites, pollUntil } from '#testing/kits/server/killedServer.ts';
import { createPatientClient } from '#testing/kits/server/patientClient.ts';
import { TEST_PASSWORD } from '#testing/kits/server/server.ts';
import { getServerProgram } from '#testing/kits/server/serverProgram.ts';
import { downloads, ytdownload, ytgetdata } from '../../contract.ts';

const CONVERTED = /^work\/\d+\/final\.mp3$/;

interface Stage {
  readonly name: string;
  /** Files in the data folder once the stage has started. */
  readonly begins: RegExp;
  /** Expected content of the library. */
  readonly library: readonly unknown[];
}
const SAVED_STAGE: Stage = {
  name: 'the file is in its place, and no row tells of it yet',
  begins: /^music\/\d+\.mp3$/,
  library: [expect.stringMatching(/^music\/\d+\.mp3$/), expect.stringMatching(/^music\/\d+\.webp$/)],
};
/**
 * On a slow machine the stage may already be over. Then the server is killed later, and everything else still applies.
 */
const orSaved = (name: RegExp): RegExp => new RegExp(`${name.source}|${SAVED_STAGE.begins.source}`);
const STAGES: readonly Stage[] = [
  { name: 'fetching', begins: /^work\/\d+\/media\.mp3\.part$/, library: [] },
  { name: 'checking', begins: /^work\/\d+\/media\.mp3$/, library: [] },
  { name: 'converting', begins: CONVERTED, library: [] },
  SAVED_STAGE,
];

const isOfJobs = (name: string): boolean => /^(music|work)\//.test(name);

// A server process is killed and started many times.
test(
  'a server that is killed at any moment continues the download, and stores no partial song',
  { timeout: 240_000 },
  async () => {
    await using site = await startMediaSite();
    const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
    await mkdir(join(dataDir, 'work'), { recursive: true });
    const port = await findFreePort();
    const program = await getServerProgram('main');
    const start = () => startServerProgram(dataDir, port, { program, EGRESS_ALLOW: site.allowedTargets.join(',') });
    const origin = `http://127.0.0.1:${port}`;
    let token = '';
    const call: Client = createClient({ origin, token: () => token });
    let release: ReturnType<typeof setInterval> | undefined;
    try {
      let placed: readonly string[] = [];
      for (const stage of STAGES) {
        // Files of the stage before must not be taken for signs of this one.
        const converted = (await listFiles(dataDir)).filter((file) => CONVERTED.test(file));
        await Promise.all(converted.map((file) => rm(join(dataDir, file))));
        await using server = await start();
        if (token === '') {
          ({ token } = await createPatientClient({ origin })(signup, { username: 'Ada', password: TEST_PASSWORD }));
          await call(ytdownload, { url: site.getAddress('/held.mp3') });
        } else release ??= setInterval(site.releaseDownloads, 100);
        if (stage === SAVED_STAGE) await waitForFile(dataDir, orSaved(CONVERTED));
        using _held = stage === SAVED_STAGE ? blockWrites(dataDir) : undefined;
        await waitForFile(dataDir, orSaved(stage.begins));
        await server.end('SIGKILL');
        placed = (await listFiles(dataDir)).filter((name) => name.startsWith('music/')).toSorted();
        expect([stage.library, SAVED_STAGE.library], stage.name).toContainEqual(placed);
      }
      const requestCount = site.listRequests().length;
      await using server = await start();
      const ended = await pollUntil(
        async () => (await call(downloads, {})).downloads,
        ([first]) => first?.failed === 3 || first?.failed === 1,
      );
      expect(ended).toMatchObject([{ failed: 3 }]);
      const song = String(ended[0]?.video_id);
      const { mp3s } = await call(ytgetdata, {});
      expect(Object.keys(mp3s)).toEqual([song]);
      // Its folder is removed after it was reported as done.
      const remaining = await pollUntil(
        async () => (await listFiles(dataDir)).filter(isOfJobs).toSorted(),
        (names) => !names.some((name) => name.startsWith('work/')),
      );
      expect(remaining).toEqual([`music/${song}.mp3`, `music/${song}.webp`]);
      expect(remaining).toEqual(placed);
      // A file that was complete is not downloaded again.
      expect(site.listRequests().length).toBe(requestCount);
      await server.end('SIGTERM');
    } finally {
      clearInterval(release);
      await rm(dataDir, { recursive: true, force: true });
    }
  },
);
