// The agent as a program on a fake Mac: its own process, home folder, launcher and guardian.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { createFakeMac, type FakeMac } from '#testing/kits/desktop/mac.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { getSkipReason } from '#testing/machine.ts';
import { fetchclipboard, sendclipboard } from '#tools/clipboard/contract.ts';
import { devicedetails, pairdevice } from '#tools/devices/contract.ts';
import { audioset, mixerargs } from '#tools/mixer/contract.ts';
import { keyboardinput, pointer } from '#tools/remote/contract.ts';

const skipReason = getSkipReason('gcc');
const TEXT = 'Grüße, "мир" — 你好 👋\nsecond line';

interface RunningAgent {
  readonly child: ChildProcess;
  readonly getOutput: () => string;
  readonly whenEnded: Promise<number | null>;
}

describe.skipIf(skipReason)(`the agent on macOS, as fakes${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let mac: FakeMac;
  let server: TestServer;
  let account: TestAccount;
  let agent: RunningAgent;
  let target = '';
  beforeAll(async () => {
    mac = createFakeMac();
    server = await startServer();
    account = await server.createAccount('anna');
  });
  afterAll(async () => {
    agent?.child.kill('SIGKILL');
    await server?.[Symbol.asyncDispose]();
    mac?.[Symbol.dispose]();
  });

  function startAgent(...args: readonly string[]): RunningAgent {
    const preload = pathToFileURL(resolve('testing/kits/desktop/macProcess.ts')).href;
    mac.createProgram('pbcopy', 'cat > clipboard');
    const { PATH } = mac.createProgram('pbpaste', 'cat clipboard');
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'apps/agent/main.ts', ...args], {
      env: { PATH, HOME: mac.folder, NODE_OPTIONS: `--import=${preload}`, PEGBOARD_FAKE_MAC: mac.folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => void (output += chunk.toString('utf8')));
    return {
      child,
      getOutput: () => output,
      whenEnded: new Promise((done) => child.once('close', (code) => done(code))),
    };
  }
  async function readStatus(): Promise<string> {
    const status = startAgent('status');
    await status.whenEnded;
    return status.getOutput();
  }
  const readDocument = (): string => mac.readProgramFile('document');

  test('without permission it pairs, and shows step by step what to do', async () => {
    agent = startAgent('pair', server.origin, '--name', 'Mac', '--allow-clipboard');
    const code = await waitFor('a code is shown', () => /\n {4}(\S+)\n/.exec(agent.getOutput())?.[1]);
    target = String((await account.call(pairdevice, { code })).id);
    await waitFor('it is connected', () => agent.getOutput().includes('Connected to'));
    expect(agent.getOutput()).toContain('1. Open System Settings, Privacy & Security, Accessibility');
    expect(agent.getOutput()).toContain(`Cmd-Shift-G, and enter ${process.execPath}`);
    expect(existsSync(join(mac.folder, 'Library/Application Support/Pegboard/agent.json'))).toBe(true);
    const { devices } = await account.call(devicedetails, {});
    expect(devices[0]).toMatchObject({ system: 'macOS, Mac desktop', state: 'Connected' });
    expect(devices[0]?.abilities.keyboard).toEqual({ able: false, reason: expect.stringContaining('Accessibility') });
    const status = await readStatus();
    expect(status).toContain("keyboard: no: macOS doesn't let the agent type");
    expect(status).toContain('To let the agent record the screen');
  });

  test('with permission it types, uses the clipboard, and sets the volume, without a restart', async () => {
    writeFileSync(join(mac.folder, 'permissions'), 'yes');
    await waitFor('the server knows', async () => {
      const { devices } = await account.call(devicedetails, {});
      return devices[0]?.abilities.keyboard?.able;
    });
    await account.call(keyboardinput, { content: { inputtype: 1, inputValue: TEXT, target, timesent: 1 } });
    await expect.poll(readDocument).toBe(TEXT);
    await account.call(sendclipboard, { content: { target, text: TEXT } });
    expect(mac.readProgramFile('clipboard')).toBe(TEXT);
    expect((await account.call(fetchclipboard, { content: { target } })).text).toBe(TEXT);
    await using phone = await openSocket(server, { token: account.token });
    const readVolume = async () => (await account.call(mixerargs, { type: 'client', target })).outputs['Master'];
    await waitFor('the mixer shows the output', readVolume);
    await phone.request(audioset, { audio: {}, outputs: { Master: { level: 30, muted: true } }, target });
    await expect.poll(readVolume).toMatchObject({ level: 30, muted: true, device: 'Speakers' });
    expect(await readStatus()).not.toContain('System Settings');
  });

  test('when it is killed while a button is down, its guardian releases the button', async () => {
    await using phone = await openSocket(server, { token: account.token });
    const press = { stream: 1, x: 0, y: 0, wheelX: 0, wheelY: 0, turns: { left: 1, middle: 0, right: 0 }, target };
    await phone.request(pointer, { ...press, turns: { left: 0, middle: 0, right: 0 } });
    await phone.request(pointer, press);
    const readLogs = (isOwn: boolean): string =>
      globSync(join(mac.folder, '*.log'))
        .filter((path) => path.endsWith(`${agent.child.pid}.log`) === isOwn)
        .map((path) => readFileSync(path, 'utf8'))
        .join('');
    await waitFor('it is pressed', () => readLogs(true).includes('mouse tap=0 type=1 '));
    agent.child.kill('SIGKILL');
    await waitFor('it is released', () => readLogs(false).includes('mouse tap=0 type=2 '), 2000);
  });

  test('it stops with the code that launchd understands', async () => {
    agent = startAgent('run', '--service');
    await waitFor('it is connected', () => agent.getOutput().includes('Connected to'));
    agent.child.kill('SIGTERM');
    expect(await agent.whenEnded).toBe(0);
    onTestFinished(() => void agent.child.kill('SIGKILL'));
  });
});
