import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice, type TestDevice } from '#testing/kits/desktop/device.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { returnapplications, usagestory } from '../contract.ts';

const createWindow = (id: number, application: string, title = '') => ({ id, application, pid: 100 + id, title });

/** Returns the intervals on the server, such as `Editor on`, with titles. */
async function listStory(account: TestAccount): Promise<readonly string[]> {
  const now = Date.now();
  const { stretches: intervals } = await account.call(usagestory, {
    from: String(now - 600_000),
    until: String(now + 600_000),
  });
  return intervals.map(({ application, status, title }) => [application, status, title].filter(Boolean).join(' '));
}
const listRunning = async (account: TestAccount): Promise<string> =>
  (await account.call(returnapplications, {})).runningapps.toSorted().join();
function runCommand({ agent }: TestDevice, words: string): Promise<readonly string[]> {
  const [word = '', ...rest] = words.split(':');
  return agent.runSubcommand(word, rest);
}
/** Returns the lines of `agent status` about measuring. */
const getUsageStatus = ({ agent }: TestDevice): readonly string[] =>
  agent.listStatus().filter((line) => line.startsWith('usage: '));
/** Waits a little more than a second, because shorter use is rounded to zero. */
const waitASecond = (): Promise<void> => new Promise((done) => setTimeout(done, 1100));

test('excluded applications are neither counted nor shown as open, and status says what is measured', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using device = await startDevice(server, anna);
  const { drivers, agent } = device;
  expect(await runCommand(device, 'exclude:secret:diary')).toEqual(['Excluded: secret diary']);
  drivers.showWindows([createWindow(1, 'Secret Diary'), createWindow(2, 'Editor', 'letter.txt')]);
  drivers.setSoundUses([
    { kind: 'playing', session: 'Tune', lineage: [7, 101], program: 'player' },
    { kind: 'recording', session: 'Talk', lineage: [], program: 'recorder' },
  ]);
  await waitFor('only the editor is open', async () => (await listRunning(anna)) === 'Editor');
  await waitASecond();
  drivers.showWindows([createWindow(1, 'Secret Diary'), createWindow(2, 'Editor', 'letter.txt')], 2);
  await waitASecond();
  expect(agent.listStatus()).toEqual(
    expect.arrayContaining([
      'usage: excluded: secret diary',
      'usage: in use: Editor',
      'usage: open: Editor',
      'usage: playing: nothing, recording: recorder',
      expect.stringMatching(/^usage: records to send: \d+$/),
    ]),
  );
  await agent[Symbol.asyncDispose]();
  await expect
    .poll(async () => (await listStory(anna)).toSorted())
    .toEqual(['Editor off', 'Editor on', 'recorder r'].toSorted());
});

test('exclusions can be removed, and nothing is measured during a pause, from the agent or the tray', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using device = await startDevice(server, anna);
  const { drivers, agent } = device;
  await runCommand(device, 'exclude:secret:diary');
  drivers.showWindows([createWindow(1, 'Secret Diary'), createWindow(2, 'Editor')]);
  await waitFor('only the editor is open', async () => (await listRunning(anna)) === 'Editor');
  expect(await runCommand(device, 'include:SECRET diary')).toEqual(['Excluded: none']);
  await waitFor('both are open', async () => (await listRunning(anna)) === 'Editor,Secret Diary');
  await expect(runCommand(device, 'include:Nobody')).rejects.toThrow("'Nobody' is not excluded");

  expect(await runCommand(device, 'pause usage')).toEqual([
    expect.stringMatching(/tracking is paused until (\w{3} \w{3} \d\d, )?\d\d:\d\d/),
  ]);
  await waitFor('nothing is reported', async () => (await listRunning(anna)) === '');
  expect(agent.listStatus().join()).toMatch(/usage: paused until/);
  await runCommand(device, 'resume usage');
  await waitFor('both are open', async () => (await listRunning(anna)) === 'Editor,Secret Diary');
  device.setPaused(true);
  await waitFor('nothing is reported', async () => (await listRunning(anna)) === '');
  for (const invalidCommand of [
    'pause usage:0',
    'pause usage:1e3',
    'pause usage:20000',
    'pause usage:1:2',
    'titles',
    'titles:maybe',
  ])
    await expect(runCommand(device, invalidCommand), invalidCommand).rejects.toThrow(/minutes|titles on/);
});

test('titles are recorded only on request, and settings survive a restart', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using device = await startDevice(server, anna);
  device.drivers.showWindows([createWindow(1, 'Editor', 'one.txt')]);
  await waitFor('it is measured', () => device.agent.listStatus().includes('usage: in use: Editor'));
  await waitASecond();
  expect(await runCommand(device, 'titles:on')).toEqual(['Window titles are recorded']);
  device.drivers.showWindows([createWindow(1, 'Mail', 'Re: two')]);
  await waitASecond();
  await device.agent[Symbol.asyncDispose]();
  {
    await using again = await startDevice(server, anna, { again: device });
    again.drivers.showWindows([createWindow(1, 'Chat', 'three')]);
    await waitASecond();
    expect(again.agent.listStatus()).toContain('usage: window titles are recorded');
  }
  await expect.poll(() => listStory(anna)).toEqual(['Editor on', 'Mail on Re: two', 'Chat on three']);
});

test('nothing is reported if the owner turned usage off, or if the settings can’t be read', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using device = await startDevice(server, anna, { allow: { usage: false } });
  device.drivers.showWindows([createWindow(1, 'Editor')]);
  await waitASecond();
  expect(getUsageStatus(device)).toEqual([]);
  expect(device.agent.getAbilities().usage).toMatchObject({ able: false });
  await expect(runCommand(device, 'titles:on')).rejects.toThrow('has no command');
  await device.agent[Symbol.asyncDispose]();

  writeFileSync(join(device.stateDir, 'usage.json'), '{"excluded": ["Diary"');
  {
    await using again = await startDevice(server, anna, { again: device });
    again.drivers.showWindows([createWindow(1, 'Diary')]);
    await waitASecond();
    expect(again.printedLines).toEqual(expect.arrayContaining([expect.stringContaining('is not tracked: ')]));
    expect(getUsageStatus(again)).toEqual([expect.stringContaining('cannot be read')]);
  }
  expect(await listStory(anna)).toEqual([]);
});
