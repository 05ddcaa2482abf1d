import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  openInputRecorder,
  waitFor,
  startDesktop,
  stopWhileHolding,
  type TestDesktop,
  type InputRecorder,
} from '#testing/kits/desktop/desktop.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { getSkipReason } from '#testing/machine.ts';
import { devicedetails, pairdevice, revokedevice } from '#tools/devices/contract.ts';
import { retrievemessages } from '#tools/messages/contract.ts';
import { keyboardinput } from '#tools/remote/contract.ts';
import { openSpool } from '#tools/screentime/agent/usageSpool.ts';
import { usagestory } from '#tools/screentime/contract.ts';
import { openselfcheck } from '#tools/selfcheck/contract.ts';

const skipReason = getSkipReason('Xvfb', 'openbox', 'setxkbmap');

/** The agent as a user starts it: its own process with its own home folder. */
interface RunningAgent {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

const hasEnded = ({ child }: RunningAgent): boolean => child.exitCode !== null || child.signalCode !== null;

/**
 * Waits for a line of the agent.
 * @throws with its output if the agent ends or never prints the line
 */
async function waitForConnection(agent: RunningAgent): Promise<void> {
  try {
    await waitFor('the agent connects', () => agent.output().includes('Connected to') || hasEnded(agent));
  } catch (error) {
    throw new Error(`the agent did not connect; it printed: ${agent.output()}`, { cause: error });
  }
  expect(agent.output()).toContain('Connected to');
}

async function stopAgent(agent: RunningAgent): Promise<number | null> {
  agent.child.kill('SIGTERM');
  return agent.ended;
}

describe.skipIf(skipReason)(`the agent as a program${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let server: TestServer;
  let account: TestAccount;
  let desk: TestDesktop;
  let recorder: InputRecorder;
  let home: string;
  let env: NodeJS.ProcessEnv;
  let target = '';
  let lastTimesent = 1_800_000_000;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'pegboard-home-'));
    server = await startServer();
    account = await server.createAccount('anna');
    desk = await startDesktop();
    desk.setLayout('us');
    recorder = await openInputRecorder(desk);
    env = { PATH: process.env['PATH'], HOME: home, DISPLAY: desk.name, XDG_RUNTIME_DIR: home };
  });
  afterAll(async () => {
    await recorder?.[Symbol.asyncDispose]();
    await desk?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
    rmSync(home, { recursive: true });
  });

  const AGENT_ARGS = ['--disable-warning=ExperimentalWarning', 'apps/agent/dist/agent.mjs'];
  function startAgent(...args: readonly string[]): RunningAgent {
    const child = spawn(process.execPath, [...AGENT_ARGS, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => void (output += chunk.toString()));
    onTestFinished(() => {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
    });
    return {
      child,
      pid: child.pid ?? 0,
      output: () => output,
      ended: new Promise((done) => child.once('close', (code) => done(code))),
    };
  }
  async function runSubcommand(
    ...args: readonly string[]
  ): Promise<{ readonly code: number | null; readonly output: string }> {
    const { ended, output } = startAgent(...args);
    const code = await ended;
    return { code, output: output() };
  }
  async function startConnected(): Promise<RunningAgent> {
    const agent = startAgent('run');
    await waitForConnection(agent);
    return agent;
  }
  const sendInput = (inputValue: string, inputtype: 1 | 2): Promise<object> =>
    account.call(keyboardinput, { content: { inputtype, inputValue, target, timesent: (lastTimesent += 1) } });

  const waitUntilAllSent = (): Promise<true> =>
    waitFor('all records are sent', async () => (await runSubcommand('status')).output.includes('records to send: 0'));

  test('before pairing, the agent says what to do', async () => {
    expect(await runSubcommand('run')).toEqual({ code: 1, output: expect.stringContaining('not paired') });
    expect(await runSubcommand('status')).toEqual({ code: 1, output: expect.stringContaining('is not running') });
    expect(await runSubcommand('fly')).toEqual({ code: 1, output: expect.stringContaining("no command 'fly'") });
    expect(await runSubcommand('pair', 'http://8.8.8.8')).toEqual({
      code: 1,
      output: expect.stringContaining('is not a private address'),
    });
    expect((await runSubcommand()).output).toContain('pair <address>');
  });

  test('the agent shows a code, is paired with it, connects, and does not reveal its token', async () => {
    const agent = startAgent('pair', server.origin, '--name', 'Desk');
    const code = await waitFor('a code is shown', () => /\n {4}(\S+)\n/.exec(agent.output())?.[1]);
    expect(agent.output()).toContain(`${server.origin}/dashboard/settings`);
    const { id } = await account.call(pairdevice, { code });
    target = String(id);
    await waitForConnection(agent);
    expect(agent.output()).toContain('as Desk');
    const file = join(home, '.config', 'pegboard', 'agent.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { token } = JSON.parse(readFileSync(file, 'utf8')) as { readonly token: string };
    expect(agent.output()).not.toContain(token);
    const { devices } = await account.call(devicedetails, {});
    expect(devices[0]).toMatchObject({ name: 'Desk', state: 'Connected', system: expect.stringMatching(/, X11$/) });
    expect(devices[0]?.abilities.scripts?.able).toBe(false);
    expect(await stopAgent(agent)).toBe(0);
  });

  test('the agent presses the keys it is sent, and stops immediately when it is paused', async () => {
    const agent = await startConnected();
    await recorder.focus();
    recorder.clear();
    await sendInput('[[keys]]Ctrl-Alt-T', 2);
    await recorder.waitFor('the chord is released', (seen) => seen.length >= 6);
    expect(recorder.listSeen()).toEqual(['+37/0', '+64/4', '+28/12', '-28/12', '-64/12', '-37/4']);

    expect((await runSubcommand('status')).output).toMatch(/connected[^]*keyboard: yes/);
    expect((await runSubcommand('pause')).code).toBe(0);
    await expect(sendInput('a', 1)).rejects.toThrow('paused');
    expect((await runSubcommand('status')).output).toContain('paused');
    expect((await runSubcommand('resume')).code).toBe(0);
    await waitFor('it types again', () => sendInput('b', 1).then(Boolean, () => false));
    expect((await runSubcommand('release')).code).toBe(0);
    expect(await stopAgent(agent)).toBe(0);
  });

  test('only one agent runs at a time, and it listens on no port', async () => {
    const agent = await startConnected();
    expect(await runSubcommand('run')).toEqual({ code: 1, output: expect.stringContaining('is already running') });
    const inodes = readdirSync(`/proc/${agent.pid}/fd`).flatMap((fd) => {
      const link = readlinkSync(`/proc/${agent.pid}/fd/${fd}`);
      return /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [];
    });
    const LISTEN_STATE = '0A';
    const ports = ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((name) =>
      readFileSync(`/proc/${agent.pid}/net/${name}`, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter((fields) => inodes.includes(fields[9] ?? '') && (fields[3] === LISTEN_STATE || name.startsWith('udp'))),
    );
    expect(ports).toEqual([]);
    expect(statSync(join(home, 'pegboard-agent.sock')).mode & 0o777).toBe(0o600);
    await stopAgent(agent);
  });

  test('its owner switches the ActivityWatch endpoint on and off, whether the agent is running or not', async () => {
    const page = 'https://example.org';
    expect(await runSubcommand('activitywatch', 'on', '--origin', page)).toEqual({
      code: 1,
      output: expect.stringContaining('not a browser extension'),
    });
    expect(
      await runSubcommand('activitywatch', 'on', '--origin', `chrome-extension://${'a'.repeat(32)}`),
    ).toMatchObject({
      code: 0,
    });
    const agent = await startConnected();
    expect(await runSubcommand('status')).toMatchObject({
      output: expect.stringContaining('ActivityWatch: listening on 127.0.0.1:5600'),
    });
    expect(await runSubcommand('activitywatch', 'off')).toEqual({ code: 0, output: 'ActivityWatch: off\n' });
    await stopAgent(agent);
  });

  test('a message is sent through the running agent, or directly without one', async () => {
    const agent = await startConnected();
    expect(await runSubcommand('send', 'from the running one')).toEqual({ code: 0, output: 'Sent\n' });
    await stopAgent(agent);
    expect(await runSubcommand('send', 'without one')).toEqual({ code: 0, output: 'Sent\n' });
    const { messages } = await account.call(retrievemessages, { content: { target } });
    expect(messages).toEqual(['from the running one', 'without one']);
  });

  test('`try` opens the page of a self-check on the own server, which then may use the computer', async () => {
    expect(await runSubcommand('try')).toEqual({ code: 1, output: expect.stringContaining('Start it with `run`') });
    const agent = await startConnected();
    const opener = join(home, 'xdg-open');
    writeFileSync(opener, '#!/bin/sh\nprintf %s "$1" > "$0.address"\n', { mode: 0o755 });
    const child = spawn(process.execPath, [...AGENT_ARGS, 'try'], {
      env: { ...env, PATH: `${home}:${env['PATH']}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = await readText(child.stdout);
    const address = readFileSync(`${opener}.address`, 'utf8');
    expect(output).toContain(address);
    const { origin, pathname, searchParams } = new URL(address);
    expect([origin, pathname]).toEqual([server.origin, '/selfcheck']);
    const run = searchParams.get('run') ?? '';
    const computer = await account.call(openselfcheck, { device: Number(searchParams.get('device')), run });
    expect(computer).toMatchObject({ name: 'Desk', system: expect.stringMatching(/, X11$/) });
    await stopAgent(agent);
  });

  test('an agent that is killed while it holds a chord leaves no key down', async () => {
    const agent = await startConnected();
    await recorder.focus();
    const keysDown = await stopWhileHolding(desk, recorder, agent.pid, () => sendInput('[[keys]]Ctrl-Alt-T', 2));
    expect(keysDown).toContain(37);
    agent.child.kill('SIGKILL');
    await agent.ended;
    await waitFor('every key is released', async () => (await desk.listKeysDown()).length === 0);
  });

  test('an agent that was suspended for longer than the server waits types new commands and no old ones', async () => {
    const agent = await startConnected();
    await recorder.focus();
    recorder.clear();
    agent.child.kill('SIGSTOP');
    await expect(sendInput('x', 1)).rejects.toThrow('did not answer');
    agent.child.kill('SIGCONT');
    await waitFor('it answers again', () => sendInput('y', 1).then(Boolean, () => false));
    await recorder.waitFor('y is typed', (seen) => seen.some((event) => event.startsWith('-29/')));
    expect(recorder.listSeen().filter((event) => event.startsWith('+53/'))).toEqual([]);
    await stopAgent(agent);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends the agent cleanly', async (signal) => {
    const agent = await startConnected();
    agent.child.kill(signal);
    expect(await agent.ended).toBe(0);
    expect(readdirSync(home)).not.toContain('pegboard-agent.sock');
  });

  test('a lost display is reported, and found again when it is back', async () => {
    const other = await startDesktop();
    const before = env;
    env = { ...env, DISPLAY: other.name };
    const agent = await startConnected();
    env = before;
    await other[Symbol.asyncDispose]();
    await waitFor('the server knows', async () => {
      const { devices } = await account.call(devicedetails, {});
      return devices[0]?.abilities.keyboard?.able === false;
    });
    await expect(sendInput('a', 1)).rejects.toThrow('display');
    await stopAgent(agent);
  });

  test('a removed computer says so and exits with 78, also at its next start', async () => {
    const agent = await startConnected();
    await account.call(revokedevice, { id: Number(target) });
    expect(await agent.ended).toBe(78);
    expect(agent.output()).toContain('removed from the account');
    const restartedAgent = startAgent('run');
    expect(await restartedAgent.ended).toBe(78);
  });

  test('paired again the agent uploads unsent data to its own account; paired with another, it deletes the data after a warning', async () => {
    const state = join(home, '.local', 'state', 'pegboard');
    const now = Date.now();
    function addUnsentData(app: string, from: number): void {
      const spool = openSpool({ folder: state, print: () => {} });
      spool.write('desktop', [{ app, status: 'on', from, until: from + 5000 }], []);
      spool.close();
      writeFileSync(join(state, 'outbox', `${crypto.randomUUID()}.txt`), `${app} of a script`);
    }
    async function listApplications(testAccount: TestAccount): Promise<readonly string[]> {
      const { stretches: intervals } = await testAccount.call(usagestory, {
        from: String(now - 600_000),
        until: String(now + 60_000),
      });
      return intervals.map(({ application }) => application);
    }
    async function pairWith(testAccount: TestAccount): Promise<RunningAgent> {
      const agent = startAgent('pair', server.origin, '--name', 'Desk');
      const code = await waitFor('a code is shown', () => /\n {4}(\S+)\n/.exec(agent.output())?.[1]);
      expect(agent.output()).toMatch(/you lose .*usage records? not yet sent to anna/);
      target = String((await testAccount.call(pairdevice, { code })).id);
      await waitForConnection(agent);
      return agent;
    }
    addUnsentData('Ours', now - 60_000);
    const annasAgent = await pairWith(account);
    await waitUntilAllSent();
    expect(await listApplications(account)).toContain('Ours');
    await account.call(revokedevice, { id: Number(target) });
    expect(await annasAgent.ended).toBe(78);

    addUnsentData('Secret', now - 30_000);
    writeFileSync(join(state, 'hotkeys.json'), '{"categories":[]}');
    const bob = await server.createAccount('bob');
    const bobsAgent = await pairWith(bob);
    expect(bobsAgent.output()).toMatch(
      /This computer now belongs to bob\. Deleted: 1 script result and .* usage records? of anna/,
    );
    await waitUntilAllSent();
    expect(await stopAgent(bobsAgent)).toBe(0);
    expect(await listApplications(bob)).not.toContain('Secret');
    expect(await bob.call(retrievemessages, { content: { target } })).toMatchObject({ messages: [] });
  });
});
