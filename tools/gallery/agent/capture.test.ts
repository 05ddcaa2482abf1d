import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findFreePort } from '#testing/journeys/program.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { createRecording } from '#testing/kits/media/recordings.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import { cwlt } from '../contract.ts';
import { listCaptures, openSpool } from './captureSpool.ts';
import { gallery } from './index.ts';

const skipReason = getSkipReason('ffmpeg');

const waitForRecordings = (account: TestAccount, count: number): Promise<true> =>
  waitFor(`${count} recordings arrived`, async () => {
    const { files } = await account.call(cwlt, {});
    return files.flatMap((session) => session.files).length === count;
  });

test('a recording that was interrupted by a killed agent can be sent, and no name is used twice', async () => {
  const stateDir = await createTempFolder();
  await mkdir(join(stateDir, 'captures'));
  const [cut, empty] = ['2026-11-23_04-05-06Z.mkv.part', '2026-11-23_04-05-07Z.mkv.part'];
  await writeFile(join(stateDir, 'captures', cut), 'some of it');
  await writeFile(join(stateDir, 'captures', empty), '');
  const spool = openSpool(stateDir);
  expect(spool.listWaiting()).toEqual(['2026-11-23_04-05-06Z.mkv']);
  expect(spool.reserve(new Date('2026-11-23T04:05:06.789Z')).name).toBe('2026-11-23_04-05-06Z-2.mkv');
  expect(gallery.accountData?.listUnsent(stateDir)).toEqual(['1 recording']);
  gallery.accountData?.remove(stateDir);
  expect(listCaptures(stateDir)).toEqual([]);
});

describe.skipIf(skipReason)(`recordings of a computer${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  test('a hotkey starts and stops a recording, and can be changed or turned off', async () => {
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna, { tools: [gallery] });
    const { agent, drivers } = laptop;
    drivers.setRecordedContent(await createRecording('webm'));
    expect(drivers.listChords()).toEqual([{ modifiers: ['Ctrl', 'Alt'], key: 'r' }]);
    drivers.pressHotkey(0);
    await waitFor('it records', () => agent.listStatus().includes('capture: recording for 0 min'));
    drivers.pressHotkey(0, true);
    drivers.pressHotkey(0);
    await waitForRecordings(anna, 1);
    expect(drivers.actions.filter(({ kind }) => kind.startsWith('record')).map(({ kind }) => kind)).toEqual([
      'record',
      'recorded',
    ]);
    expect(await agent.runSubcommand('capture', ['hotkey', 'f9'])).toEqual(['F9 starts and stops a recording']);
    expect(drivers.listChords()).toEqual([{ modifiers: [], key: 'F9' }]);
    drivers.refuseHotkeys(new Map([[0, 'another program has it']]));
    expect(agent.listStatus()).toEqual(['capture: F9 is not available: another program has it']);
    expect(await agent.runSubcommand('capture', ['hotkey', 'off'])).toEqual(['The recording hotkey is off']);
    expect(drivers.listChords()).toEqual([]);
    for (const [rest, sentence] of [
      [[], 'Use `capture start`'],
      [['begin'], 'Use `capture start`'],
      [['start', 'now'], 'Enter the region as --region'],
      [['start', '--region', '1'], 'Enter the region as --region'],
      [['hotkey', 'r'], 'Enter keys such as'],
    ] as const)
      await expect(agent.runSubcommand('capture', rest)).rejects.toThrow(sentence);
  });

  test('with --confirm only a person at the computer starts a recording, and a pause or a fault stops it', async () => {
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna, { tools: [gallery], confirm: true });
    const { agent, drivers, printedLines } = laptop;
    drivers.setRecordedContent(await createRecording('webm'));
    await agent.runSubcommand('capture', ['start', '--region', '0,0,640x480']);
    expect(drivers.actions[0]).toEqual({ kind: 'record', region: { x: 0, y: 0, width: 640, height: 480 } });
    laptop.setPaused(true);
    await waitFor('it has ended', () => printedLines.includes('The recording of this screen has stopped'));
    await expect(agent.runSubcommand('capture', ['start'])).rejects.toThrow('paused on that computer');
    laptop.setPaused(false);
    await agent.runSubcommand('capture', ['start']);
    drivers.ignoreStop();
    // The command does not wait for a computer that takes long to write the end.
    expect(await agent.runSubcommand('capture', ['stop'])).toEqual([
      'Stopping the recording. It is sent to the server when it is complete',
    ]);
    expect(agent.listStatus()).toContain('capture: recording for 0 min');
    drivers.endRecording('the recorder exited with SIGKILL');
    await waitFor('the problem is printed', () =>
      printedLines.includes('The recording of this screen stopped: the recorder exited with SIGKILL'),
    );
    await waitForRecordings(anna, 2);
  });

  test('a recording that ends while the server is unreachable is sent after the reconnect', async () => {
    const dataDir = await createTempFolder();
    const port = await findFreePort();
    const first = await startServer({ dataDir, port });
    const anna = await first.createAccount('anna');
    await using laptop = await startDevice(first, anna, { tools: [gallery] });
    laptop.drivers.setRecordedContent(await createRecording('webm'));
    await first[Symbol.asyncDispose]();
    await laptop.agent.runSubcommand('capture', ['start']);
    await laptop.agent.runSubcommand('capture', ['stop']);
    await waitFor('it waits', () =>
      laptop.agent.listStatus().some((line) => line.startsWith('capture: 1 recording to send')),
    );
    await using second = await startServer({ dataDir, port });
    expect(second.origin).toBe(first.origin);
    await waitForRecordings(anna, 1);
    await waitFor('the spool is empty', async () => {
      const left = await readdir(join(laptop.stateDir, 'captures'));
      return left.length === 0;
    });
  });

  test('a hotkey with a screen region survives a restart', async () => {
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    await using first = await startDevice(server, anna, { tools: [gallery] });
    const { stateDir, token } = first;
    const line = 'F9 starts and stops a recording of 10,20,640x480';
    expect(await first.agent.runSubcommand('capture', ['hotkey', 'F9', '--region', '10,20,640x480'])).toEqual([line]);
    await first.agent[Symbol.asyncDispose]();
    await using second = await startDevice(server, anna, { tools: [gallery], again: { stateDir, token } });
    const { agent, drivers } = second;
    drivers.setRecordedContent(await createRecording('webm'));
    expect(agent.listStatus()).toEqual([`capture: ${line}`]);
    expect(drivers.listChords()).toEqual([{ modifiers: [], key: 'F9' }]);
    drivers.pressHotkey(0);
    await waitFor('it records', () => agent.listStatus().includes('capture: recording for 0 min'));
    expect(drivers.actions).toContainEqual({ kind: 'record', region: { x: 10, y: 20, width: 640, height: 480 } });
    await agent.runSubcommand('capture', ['stop']);
    expect(await agent.runSubcommand('capture', ['hotkey', 'F9'])).toEqual(['F9 starts and stops a recording']);
    await expect(agent.runSubcommand('capture', ['hotkey', 'F9', '--region', '1'])).rejects.toThrow(
      'Enter the region as --region',
    );
  });

  test('a recording that is refused or unreadable does not delay the ones after it', async () => {
    const webm = await createRecording('webm');
    const GALLERY_QUOTA_GB = ((webm.length * 1.5) / 1024 ** 3).toFixed(12);
    await using server = await startServer({ environment: { GALLERY_QUOTA_GB } });
    const anna = await server.createAccount('anna');
    await using laptop = await startDevice(server, anna, { tools: [gallery] });
    const { agent, drivers, stateDir } = laptop;
    drivers.setRecordedContent(webm);
    // This one exceeds the quota, and its name is first.
    await mkdir(join(stateDir, 'captures'), { recursive: true });
    await writeFile(join(stateDir, 'captures', '0.mkv'), Buffer.alloc(2 * webm.length));
    // A folder is not a recording.
    await mkdir(join(stateDir, 'captures', '1.mkv'));
    await agent.runSubcommand('capture', ['start']);
    await agent.runSubcommand('capture', ['stop']);
    await waitForRecordings(anna, 1);
    await waitFor('only those two wait', async () => {
      const left = await readdir(join(stateDir, 'captures'));
      return left.toSorted().join(' ') === '0.mkv 1.mkv';
    });
    await waitFor('the status shows it', () =>
      agent.listStatus().some((text) => text.startsWith('capture: 2 recordings to send: ')),
    );
  });

  test('the start of a running recording is reported again after a reconnect', async () => {
    const dataDir = await createTempFolder();
    const port = await findFreePort();
    const first = await startServer({ dataDir, port });
    const anna = await first.createAccount('anna');
    await using laptop = await startDevice(first, anna, { tools: [gallery] });
    laptop.drivers.setRecordedContent(await createRecording('webm'));
    await laptop.agent.runSubcommand('capture', ['start']);
    const waitForStart = () =>
      waitFor('the page shows it', async () => (await anna.call(cwlt, {})).own?.recording[0]?.since);
    const before = await waitForStart();
    await first[Symbol.asyncDispose]();
    // An hour passes for the agent, but not on the server’s clock.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    await using _second = await startServer({ dataDir, port });
    expect((await waitForStart()) - before).toBeLessThan(-3000);
    await laptop.agent.runSubcommand('capture', ['stop']);
  });
});
