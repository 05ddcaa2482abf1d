import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import {
  waitForRecordings,
  createManualClock,
  waitForInbox,
  getInboxPath,
  listGallery,
  triggerInboxCheck,
  putAndImport,
  listTitles,
  isWaitingFor,
} from '#testing/kits/media/inbox.ts';
import { copyMedia } from '#testing/kits/media/media.ts';
import { createRecording } from '#testing/kits/media/recordings.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, TEST_PASSWORD, type TestServer } from '#testing/kits/server/server.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { getSkipReason } from '#testing/machine.ts';
import { deleteaccount, endlinks, exportaccount } from '#tools/accounts/contract.ts';
import { changevideo, cwlt, forgetbroken, publishvideos, recordscreen, sendcapture } from '../contract.ts';

const skipReason = getSkipReason('ffmpeg');
const SECOND = 1000;

const listVideos = async ({ dataDir }: TestServer): Promise<readonly string[]> =>
  readdir(join(dataDir, 'gallery', 'videos')).catch(() => []);
async function listBroken({ dataDir }: TestServer): Promise<readonly string[]> {
  const folder = join(dataDir, 'gallery', 'broken');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const fetchPath = (server: TestServer, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.origin}${path}`, { headers });

const computeDigest = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

// ffmpeg creates and reads all recordings.
describe.skipIf(skipReason)(
  `the gallery${skipReason === undefined ? '' : `: ${skipReason}`}`,
  { timeout: 240_000 },
  () => {
    testOnBothDatabases(
      'a video from the inbox is private until it is published, and can be renamed and deleted',
      async ({ dataDir, databaseUrl }) => {
        const clock = createManualClock();
        await using server = await startServer({ dataDir, databaseUrl, now: clock.now });
        const anna = await server.createAccount('anna');
        const ben = await server.createAccount('ben');
        const setup = { server, clock, anna };
        await putAndImport(setup, 'Replay 2026-11-20 21-04-05.webm', await createRecording('webm'));
        await waitForRecordings(setup, 1);

        const [session] = (await listGallery(anna)).files;
        const [video] = session?.videos ?? [];
        if (!session || !video) throw new Error('no session');
        const start = Temporal.PlainDateTime.from('2026-11-20T21:04:05').toZonedDateTime(Temporal.Now.timeZoneId());
        expect(video).toMatchObject({
          title: 'Replay',
          start: start.epochMilliseconds / 1000,
          width: 320,
          height: 180,
        });
        expect(video.duration).toBeCloseTo(2, 0);
        expect(session).toMatchObject({
          start: video.start,
          end: video.start + video.duration,
          own: true,
          public: false,
        });
        expect(await listGallery(server)).toEqual({ files: [] });
        expect((await listGallery(ben)).files).toEqual([]);

        const [picture, movie] = [`/api/cwservet/${video.file}.png`, `/api/cwservev/${video.file}.webm`];
        for (const path of [picture, movie]) {
          expect((await fetchPath(server, path)).status).toBe(404);
          expect((await fetchPath(server, `${path}${video.signature}0`)).status).toBe(404);
          expect((await fetchPath(server, `${path}${video.signature}`)).status).toBe(200);
        }
        const signed = await fetchPath(server, `${movie}${video.signature}`, { range: 'bytes=10-19' });
        expect([signed.status, signed.headers.get('content-type')]).toEqual([206, 'video/webm']);
        expect(signed.headers.get('content-range')).toBe(`bytes 10-19/${video.bytes}`);
        expect((await signed.arrayBuffer()).byteLength).toBe(10);
        // Nothing in it is executed.
        expect(signed.headers.get('x-content-type-options')).toBe('nosniff');
        expect(signed.headers.get('content-security-policy')).toContain('sandbox');
        await anna.call(endlinks, {});
        expect((await fetchPath(server, `${movie}${video.signature}`)).status).toBe(404);
        const signature = (await listGallery(anna)).files[0]?.videos[0]?.signature;
        expect((await fetchPath(server, `${movie}${signature}`)).status).toBe(200);
        clock.pass(13 * 3600 * SECOND);
        expect((await fetchPath(server, `${movie}${signature}`)).status).toBe(404);

        const unknown = new Refusal(
          'gallery.recording_not_found',
          'There is no such recording. It may have been deleted',
        );
        await expect(ben.call(publishvideos, { files: [video.file], public: true })).rejects.toThrow(unknown);
        await anna.call(publishvideos, { files: [video.file], public: true });
        const [publicSession] = (await listGallery(server)).files;
        expect(publicSession).toMatchObject({ files: [video.file], own: false, public: true });
        expect(publicSession?.videos[0]?.signature).toBe('');
        expect((await fetchPath(server, picture)).headers.get('content-type')).toBe('image/png');
        expect(new Uint8Array(await (await fetchPath(server, picture)).arrayBuffer()).slice(1, 4)).toEqual(
          new TextEncoder().encode('PNG'),
        );
        await anna.call(publishvideos, { files: [video.file], public: false });
        expect((await fetchPath(server, picture)).status).toBe(404);

        await anna.call(changevideo, { file: video.file, title: ' <b>boss</b>\nfight ' });
        await expect(anna.call(changevideo, { file: video.file })).rejects.toThrow(
          'Enter a new name, or choose Delete',
        );
        expect(await listTitles(anna)).toEqual(['<b>boss</b> fight']);
        await expect(ben.call(changevideo, { file: video.file, remove: true })).rejects.toThrow(unknown);
        expect(await listVideos(server)).toHaveLength(2);
        await anna.call(changevideo, { file: video.file, remove: true });
        expect((await listGallery(anna)).files).toEqual([]);
        expect(await listVideos(server)).toEqual([]);
        expect(
          await readdir(join(server.dataDir, 'gallery', 'inbox')).then((names) =>
            names.filter((one) => !one.startsWith('.')),
          ),
        ).toEqual([]);
      },
    );

    test('recordings less than half an hour apart share a session, and new ones follow the owner’s default visibility', async () => {
      const clock = createManualClock();
      await using server = await startServer({ now: clock.now });
      const anna = await server.createAccount('anna');
      const setup = { server, clock, anna };
      await anna.call(publishvideos, { files: 'new', public: true });
      const webm = await createRecording('webm');
      await waitForInbox(server);
      for (const time of ['21-00-00', '21-29-00', '22-05-00'])
        await writeFile(join(getInboxPath(server), `2026-11-20 ${time}.webm`), webm);
      await isWaitingFor(setup, '2026-11-20 22-05-00.webm');
      clock.pass(11 * SECOND);
      await triggerInboxCheck(server);
      await waitForRecordings(setup, 3);
      expect((await listGallery(server)).files.map(({ files, public: isPublic }) => [files.length, isPublic])).toEqual([
        [1, true],
        [2, true],
      ]);
    });

    test('open files and irregular files stay in the inbox, unreadable ones are set aside, and one without an end is salvaged', async () => {
      const clock = createManualClock();
      await using server = await startServer({ now: clock.now });
      const anna = await server.createAccount('anna');
      const setup = { server, clock, anna };
      const inbox = getInboxPath(server);
      await waitFor('the inbox exists', async () => readdir(inbox).catch(() => false as const));
      await symlink('/etc/passwd', join(inbox, 'passwd.mkv'));
      await mkdir(join(inbox, 'folder.mkv'));
      const elsewhere = join(server.dataDir, 'elsewhere');
      await mkdir(elsewhere);
      await writeFile(join(elsewhere, 'foreign.mkv'), await createRecording('mkv'));
      await symlink(elsewhere, join(inbox, 'account-1'));
      const mp4 = await createRecording('mp4');
      await writeFile(join(inbox, 'cut.mp4'), mp4.subarray(0, mp4.length / 2)); // the index is at its end
      await writeFile(join(inbox, 'list.mkv'), 'ffconcat version 1.0\nfile /etc/passwd\n');
      await writeFile(join(inbox, 'killed.mkv'), await createRecording('killed'));
      await writeFile(join(inbox, 'empty.mkv'), '');
      await using writer = await open(join(inbox, 'open.mp4'), 'w');
      await writer.writeFile(mp4);
      await isWaitingFor(setup, 'killed.mkv');
      clock.pass(11 * SECOND);
      const states = await waitFor('all files were probed', async () => {
        await triggerInboxCheck(server);
        const waiting = (await listGallery(anna)).own?.waiting ?? [];
        return waiting.filter(({ state }) => state.startsWith('Incomplete')).length === 3 && waiting;
      });
      expect(states.map(({ name }) => name).toSorted()).toEqual([
        'cut.mp4',
        'empty.mkv',
        'killed.mkv',
        'list.mkv',
        'open.mp4',
      ]);
      await copyMedia('song.m4a', join(inbox, 'sound.mp4'));
      await triggerInboxCheck(server);
      clock.pass(10 * 60 * SECOND);
      await triggerInboxCheck(server);
      const broken = await waitFor('all files were set aside', async () => {
        const files = (await listGallery(anna)).own?.broken ?? [];
        return files.length === 4 && files;
      });
      expect(broken.map(({ name, reason }) => `${name}: ${reason}`).toSorted()).toEqual([
        'cut.mp4: Unreadable: the recording was cut off',
        'empty.mkv: This file is empty',
        'list.mkv: Unreadable: the recording was cut off',
        'sound.mp4: No video in this file, only sound',
      ]);
      await waitForRecordings(setup, 1);
      // Unchanged for long, like a recorder’s file while nothing moves on the screen.
      expect((await listGallery(anna)).own?.waiting).toContainEqual({
        id: 'open.mp4',
        name: 'open.mp4',
        state: 'Still being written',
      });
      await writer.close();
      await triggerInboxCheck(server);
      await waitForRecordings(setup, 2);
      const recorded = (await listGallery(anna)).files.flatMap(({ videos }) => videos);
      expect(recorded.find(({ title }) => title === 'open')).toMatchObject({ cut: false });
      const saved = recorded.find(({ title }) => title === 'killed');
      expect(saved).toMatchObject({ cut: true });
      expect(saved?.duration).toBeCloseTo(2, 0);
      expect((await readdir(inbox)).filter((name) => !name.startsWith('.')).toSorted()).toEqual([
        'account-1',
        'folder.mkv',
        'passwd.mkv',
      ]);
      expect(await readdir(elsewhere)).toEqual(['foreign.mkv']);
      await waitFor('all files exist', async () => (await listBroken(server)).length === 4);
      const ben = await server.createAccount('ben');
      for (const { id } of broken) {
        await expect(ben.call(forgetbroken, { id })).rejects.toThrow(Refusal);
        await anna.call(forgetbroken, { id });
      }
      expect((await listGallery(anna)).own?.broken).toEqual([]);
      expect(await listBroken(server)).toEqual([]);
      await expect(anna.call(forgetbroken, { id: broken[0]?.id ?? 1 })).rejects.toThrow(Refusal);
    });

    testOnBothDatabases(
      'a computer uploads a recording in parts, and repeated parts have no effect',
      async (storage) => {
        const { dataDir, databaseUrl } = storage;
        const webm = await createRecording('webm');
        const description = { name: '2026-11-23_04-05-06Z.mkv', size: webm.length, digest: computeDigest(webm) };
        const part = (from: number, to: number) => webm.subarray(from, to).toString('base64');
        await using server = await startServer({ dataDir, databaseUrl });
        const anna = await server.createAccount('anna');
        await using laptop = await startDevice(server, anna);
        const call = createClient({ origin: server.origin, token: () => laptop.token });
        expect(await call(sendcapture, { ...description, offset: 0, data: '' })).toEqual({ offset: 0, isWhole: false });
        expect(await call(sendcapture, { ...description, offset: 0, data: part(0, 100) })).toEqual({
          offset: 100,
          isWhole: false,
        });
        // The answer was lost, so it is sent again; parts out of order are not accepted.
        for (const offset of [0, 50, 200])
          expect(await call(sendcapture, { ...description, offset, data: part(offset, offset + 100) })).toEqual({
            offset: 100,
            isWhole: false,
          });
        await expect(call(sendcapture, { ...description, offset: 100, data: part(0, webm.length) })).rejects.toThrow(
          'The upload is larger than announced',
        );
        const whole = { offset: webm.length, isWhole: true };
        expect(await call(sendcapture, { ...description, offset: 100, data: part(100, webm.length) })).toEqual(whole);
        expect(await call(sendcapture, { ...description, offset: 0, data: '' })).toEqual(whole);
        await waitForRecordings({ anna }, 1);
        const [session] = (await listGallery(anna)).files;
        expect(session?.start).toBe(Date.UTC(2026, 10, 23, 4, 5, 6) / 1000);

        const damaged = { ...description, name: 'damaged.mkv', digest: computeDigest(new Uint8Array()) };
        await expect(call(sendcapture, { ...damaged, offset: 0, data: part(0, webm.length) })).rejects.toThrow(
          'The upload was damaged. The agent sends the recording again',
        );
        expect(await call(sendcapture, { ...damaged, offset: 0, data: '' })).toEqual({ offset: 0, isWhole: false });
        await expect(anna.call(sendcapture, { ...description, offset: 0, data: '' })).rejects.toThrow(
          InvalidTokenRefusal,
        );
        // A computer’s token gives no access to the recordings it has sent.
        expect(await call(cwlt, {})).toEqual({ files: [] });
      },
    );

    test('a page starts and stops a recording on a computer whose owner allows it, and it appears in the gallery', async () => {
      await using server = await startServer();
      const anna = await server.createAccount('anna');
      const ben = await server.createAccount('ben');
      await using laptop = await startDevice(server, anna);
      const { target, drivers } = laptop;
      drivers.setRecordedContent(await createRecording('webm'));
      await expect(ben.call(recordscreen, { target, to: 'start' })).rejects.toThrow('There is no such device');
      await expect(anna.call(recordscreen, { target, to: 'stop' })).rejects.toThrow('is not being recorded');
      await anna.call(recordscreen, { target, to: 'start' });
      await waitFor('the page shows it', async () => (await listGallery(anna)).own?.recording[0]?.target === target);
      await expect(anna.call(recordscreen, { target, to: 'start' })).rejects.toThrow('already being recorded');
      expect(laptop.printedLines).toContain('This screen is being recorded, by anna');
      await anna.call(recordscreen, { target, to: 'stop' });
      await waitForRecordings({ anna }, 1);
      expect((await listGallery(anna)).own?.recording).toEqual([]);
      expect(await readdir(join(laptop.stateDir, 'captures'))).toEqual([]);
      expect((await listGallery(ben)).files).toEqual([]);
      laptop.setPaused(true);
      await expect(anna.call(recordscreen, { target, to: 'start' })).rejects.toThrow('paused on that computer');
    });

    test('a computer that does not allow recordings makes none', async () => {
      await using server = await startServer();
      const anna = await server.createAccount('anna');
      await using laptop = await startDevice(server, anna, { allow: { capture: false } });
      await expect(anna.call(recordscreen, { target: laptop.target, to: 'start' })).rejects.toThrow(
        'Turned off on that computer. Start its agent with --allow-capture',
      );
      expect(laptop.drivers.actions).toEqual([]);
    });

    test('an account’s recordings are in its export, and none of their files remains after its deletion', async () => {
      await using server = await startServer();
      await server.createAccount('owner');
      const ben = await server.createAccount('ben');
      await using laptop = await startDevice(server, ben);
      laptop.drivers.setRecordedContent(await createRecording('webm'));
      await ben.call(recordscreen, { target: laptop.target, to: 'start' });
      await ben.call(recordscreen, { target: laptop.target, to: 'stop' });
      await waitForRecordings({ anna: ben }, 1);
      const { content } = await ben.call(exportaccount, { password: TEST_PASSWORD });
      const files = readZip(new Uint8Array(await content.arrayBuffer()));
      const data = readJsonFromZip(files, 'gallery.json') as {
        readonly recordings: readonly { readonly file: string }[];
      };
      const [recording] = data.recordings;
      expect(files.get(`gallery/${recording?.file}`)?.subarray(0, 4)).toEqual(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]));
      const junk = new TextEncoder().encode('junk');
      const description = { name: 'junk.mkv', size: junk.length, digest: computeDigest(junk) };
      const call = createClient({ origin: server.origin, token: () => laptop.token });
      await call(sendcapture, { ...description, offset: 0, data: Buffer.from(junk).toString('base64') });
      await waitFor('the unreadable file is set aside', async () => (await listBroken(server)).length === 1);
      await ben.call(deleteaccount, { username: 'ben', password: TEST_PASSWORD });
      expect(await listVideos(server)).toEqual([]);
      expect(await listBroken(server)).toEqual([]);
      expect((await readdir(getInboxPath(server))).filter((name) => !name.startsWith('.'))).toEqual([]);
    });

    test('recordings above the quota stay on their computer until something is deleted', async () => {
      const webm = await createRecording('webm');
      const GALLERY_QUOTA_GB = ((webm.length * 1.5) / 1024 ** 3).toFixed(12);
      await using server = await startServer({ environment: { GALLERY_QUOTA_GB } });
      const anna = await server.createAccount('anna');
      await using laptop = await startDevice(server, anna);
      const call = createClient({ origin: server.origin, token: () => laptop.token });
      const description = { size: webm.length, digest: computeDigest(webm), offset: 0, data: webm.toString('base64') };
      const upload = (name: string) => call(sendcapture, { ...description, name });
      await upload('one.mkv');
      await waitForRecordings({ anna }, 1);
      await expect(upload('two.mkv')).rejects.toThrow('and there is no space for this one. Delete some first');
      const [file = ''] = (await listGallery(anna)).files.flatMap(({ files }) => files);
      await anna.call(changevideo, { file, remove: true });
      // Files that are not in the gallery yet count as well.
      const [accountFolder = ''] = (await readdir(getInboxPath(server))).filter((name) => name.startsWith('account-'));
      await writeFile(join(getInboxPath(server), accountFolder, 'other'), new Uint8Array(2 * webm.length));
      await expect(upload('two.mkv')).rejects.toThrow('there is no space for this one');
      expect((await listGallery(anna)).own?.hindrance).toMatch(
        /^Your recordings use .* GiB\. New recordings stay on your computers/,
      );
      await rm(join(getInboxPath(server), accountFolder, 'other'));
      expect(await upload('two.mkv')).toMatchObject({ isWhole: true });
      expect((await listGallery(anna)).own?.hindrance).toBe('');
    });

    test('a recording that the server repeatedly fails to process is set aside', async () => {
      const clock = createManualClock();
      await using server = await startServer({ now: clock.now });
      const anna = await server.createAccount('anna');
      await waitFor('the inbox exists', async () => readdir(getInboxPath(server)).catch(() => false as const));
      // A file blocks the folder of the videos.
      await writeFile(join(server.dataDir, 'gallery', 'videos'), '');
      await putAndImport({ server, clock, anna }, 'one.mkv', await createRecording('mkv'));
      const broken = await waitFor('it is set aside', async () => {
        const { own } = await listGallery(anna);
        if (own?.waiting.some(({ state }) => state.startsWith('Trying again soon'))) clock.pass(20 * SECOND);
        return own?.broken[0];
      });
      expect(broken).toMatchObject({ name: 'one.mkv', reason: expect.stringContaining('Something went wrong') });
      await waitFor('its file exists', async () => (await listBroken(server)).length === 1);
    });

    test('a recording that no job can fetch stays in the inbox with a message, and is processed later', async () => {
      const clock = createManualClock();
      await using server = await startServer({ now: clock.now });
      const anna = await server.createAccount('anna');
      const setup = { server, clock, anna };
      await waitForInbox(server);
      // A file blocks the folder of the jobs.
      const work = join(server.dataDir, 'work');
      await rm(work, { recursive: true, force: true });
      await writeFile(work, '');
      await putAndImport(setup, 'one.mkv', await createRecording('mkv'));
      const leftFile = await waitFor('it is reported', async () => {
        await triggerInboxCheck(server);
        const waiting = (await listGallery(anna)).own?.waiting ?? [];
        // Between its attempts, and after the last one.
        if (waiting.every(({ state }) => state.startsWith('Trying again soon'))) clock.pass(31 * SECOND);
        return waiting.find(({ state }) => state.startsWith('The server could not move this file from the inbox'));
      });
      expect(leftFile.name).toBe('one.mkv');
      await rm(work);
      clock.pass(600 * SECOND);
      await triggerInboxCheck(server);
      await waitForRecordings(setup, 1);
      expect((await listGallery(anna)).own?.waiting).toEqual([]);
    });
  },
);
