import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isSignalCaught } from '#testing/kits/desktop/agentProcess.ts';
import {
  waitFor,
  openInputRecorder,
  startDesktop,
  type TestDesktop,
  type InputRecorder,
} from '#testing/kits/desktop/desktop.ts';
import { getSkipReason } from '#testing/machine.ts';
import { startGuardian } from './guardian.ts';
import { readLeftovers } from './heldInputs.ts';
import { openXDesktop } from './x11/desktop.ts';
import { readKeyboard } from './x11/keyboardLayout.ts';

const skipReason = getSkipReason('Xvfb', 'openbox', 'setxkbmap');
const CTRL = 37;
const ALT = 64;

/** An agent that holds Ctrl, Alt and the left button and reports it; then it runs `continuation`. */
const createAgentProgram = (continuation: string, guardianArgs: readonly string[]): string => `
  import { openDisplay } from '#platform/agent/drivers/x11/display.ts';
  import { createHeldInputs } from '#platform/agent/drivers/heldInputs.ts';
  import { startGuardian } from '#platform/agent/drivers/guardian.ts';
  import { openXKeyboard } from '#platform/agent/drivers/x11/keyboard.ts';
  import { openXkb } from '#platform/agent/drivers/x11/xkb.ts';
  const [name, path] = process.argv.slice(1);
  const display = await openDisplay(name);
  let pid = 0;
  const command = { program: process.execPath, args: ${JSON.stringify(guardianArgs)}, onStart: (guardianPid) => (pid = guardianPid) };
  const guardian = startGuardian(command, { display: name }, () => heldInputs.listGuardianLines());
  const heldInputs = createHeldInputs({ display: name, path, sendToGuardian: guardian.send, release: () => undefined });
  await openXKeyboard(display, await openXkb(display), heldInputs).type('ж');
  heldInputs.add(['k${CTRL}', 'k${ALT}', 'b1']);
  display.fakeKey(${CTRL}, true);
  display.fakeKey(${ALT}, true);
  display.fakeButton(1, true);
  await display.sync();
  ${continuation}
`;
const STAY = `process.stdout.write(pid + '\\n'); setInterval(() => {}, 1000);`;
/** Presses repeatedly, because a guardian may start more slowly than the maximum hold time. */
const STAY_LONG = `${STAY} setInterval(() => heldInputs.add(heldInputs.list()), 1000);`;
const HANG_ON_SIGNAL = `process.on('SIGUSR2', () => { for (;;); }); ${STAY}`;
const DIE_IMMEDIATELY = `process.kill(process.pid, 'SIGKILL');`;

const NODE_ARGS = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e'];
const GUARDIAN = ['apps/agent/main.ts', '--guardian'];
/** Suspends itself on demand for longer than an agent may be silent. */
const STALLING_GUARDIAN = [
  ...NODE_ARGS,
  `
  import { readGuarded, runGuardian } from '#platform/agent/drivers/guardian.ts';
  process.on('SIGUSR2', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000));
  await runGuardian(readGuarded(process.env), process.stdin);
`,
];

/** Resolves when the agent holds its keys, with the process id of its guardian. */
async function waitUntilHolding({ stdout }: ChildProcess): Promise<number> {
  if (!stdout) throw new Error('no output');
  return Number(await new Promise<string>((done) => createInterface({ input: stdout }).once('line', done)));
}

describe.skipIf(skipReason)(`keys never stick${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let desk: TestDesktop;
  let recorder: InputRecorder;
  let folder: string;
  const getHeldPath = (): string => join(folder, 'held.json');

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pegboard-guardian-'));
    desk = await startDesktop();
    desk.setLayout('us');
    recorder = await openInputRecorder(desk);
    await recorder.centrePointer();
  });
  afterAll(async () => {
    await recorder?.[Symbol.asyncDispose]();
    await desk?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  function start(continuation: string, guardianArgs = GUARDIAN): ChildProcess {
    const child = spawn(
      process.execPath,
      [...NODE_ARGS, createAgentProgram(continuation, guardianArgs), desk.name, getHeldPath()],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }
  async function isEverythingReleased(): Promise<boolean> {
    const { x, root, request } = desk.display;
    const { keyMask } = await request<{ readonly keyMask: number }>((done) => x.QueryPointer(root, done));
    const anyButton = 0x1f00;
    return (await desk.listKeysDown()).length === 0 && (keyMask & anyButton) === 0;
  }
  const isNothingLent = async (): Promise<boolean> =>
    (await readKeyboard(desk.display)).rows.every((row) => row[0] !== 0x1000436);

  test('if the agent is killed (kill -9) while it holds keys, the guardian releases them and clears the lent keycodes', async () => {
    const agent = start(STAY);
    await waitUntilHolding(agent);
    expect(await desk.listKeysDown()).toEqual([CTRL, ALT]);
    expect(await isNothingLent()).toBe(false);
    agent.kill('SIGKILL');
    await waitFor('everything is released', isEverythingReleased);
    await waitFor('the keycodes are free', isNothingLent);
  });

  test('if the agent is killed at the moment of a press, nothing stays down', async () => {
    const agent = start(DIE_IMMEDIATELY);
    await new Promise((done) => agent.once('exit', done));
    await waitFor('the guardian is done', isNothingLent);
    expect(await isEverythingReleased()).toBe(true);
  });

  test.each([
    ['hangs', 'SIGUSR2'],
    ['is stopped', 'SIGSTOP'],
  ] as const)('if the agent %s while it holds keys, the guardian releases them', async (_, signal) => {
    const agent = start(HANG_ON_SIGNAL);
    const guardian = await waitUntilHolding(agent);
    await waitFor('the guardian runs', () => isSignalCaught(guardian, 'SIGTERM'));
    expect(await isEverythingReleased()).toBe(false);
    agent.kill(signal);
    await waitFor('everything is released', isEverythingReleased);
    agent.kill('SIGKILL');
    await waitFor('the keycodes are free', isNothingLent);
  });

  test('if the guardian is suspended while the agent continues, nothing is released', async () => {
    const agent = start(STAY_LONG, STALLING_GUARDIAN);
    const guardian = await waitUntilHolding(agent);
    await waitFor('it handles the signal', () => isSignalCaught(guardian, 'SIGUSR2'));
    process.kill(guardian, 'SIGUSR2');
    await delay(4000);
    expect(await desk.listKeysDown()).toEqual([CTRL, ALT]);
    agent.kill('SIGKILL');
    await waitFor('everything is released', isEverythingReleased);
    await waitFor('the keycodes are free', isNothingLent);
  });

  test('if agent and guardian are gone, the next start releases what the file names', async () => {
    desk.display.fakeKey(CTRL, true);
    await desk.display.sync();
    const agent = start(STAY.replace('setInterval', 'guardian.close(); setInterval'));
    await waitUntilHolding(agent);
    // The guardian has released everything and ended; now somebody presses a key without a guardian.
    await waitFor('everything is released', isEverythingReleased);
    agent.kill('SIGKILL');
    await new Promise((done) => agent.once('exit', done));
    expect(readLeftovers(getHeldPath())?.held).toContain(`k${CTRL}`);
    desk.display.fakeKey(CTRL, true);
    await desk.display.sync();
    const next = await openXDesktop({ display: desk.name, heldPath: getHeldPath() });
    expect(await desk.listKeysDown()).toEqual([]);
    await next[Symbol.asyncDispose]();
  });

  test('a killed guardian is replaced', async () => {
    const pids: number[] = [];
    const program = process.execPath;
    const guardian = { program, args: ['apps/agent/main.ts', '--guardian'], onStart: (pid: number) => pids.push(pid) };
    const agent = await openXDesktop({ display: desk.name, heldPath: getHeldPath(), guardian });
    agent.mouse.button('left', true);
    await waitFor('a guardian runs', () => pids.length === 1);
    process.kill(pids[0] ?? 0, 'SIGKILL');
    await waitFor('another one runs', () => pids.length === 2);
    await agent[Symbol.asyncDispose]();
    expect(await isEverythingReleased()).toBe(true);
  });
});

test('what an agent held that hung and then ended is released', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-guardian-'));
  const requestsPath = join(folder, 'requests');
  const descriptor = openSync(requestsPath, 'w');
  const { pid: endedPid } = spawnSync(process.execPath, ['--version']);
  const guardian = spawn(process.execPath, [...NODE_ARGS.slice(0, 1), ...GUARDIAN], {
    stdio: ['pipe', 'ignore', 'inherit', descriptor],
    env: { ...process.env, PEGBOARD_GUARDED_PID: String(endedPid), PEGBOARD_GUARDED_FAKE_INPUT: '5' },
  });
  onTestFinished(() => {
    guardian.kill('SIGKILL');
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  });
  guardian.stdin?.write('+k42\n');
  await waitFor('the release is sent', () => statSync(requestsPath).size > 0);
});

test("a guardian that can't run is started again less and less often", async () => {
  let startCount = 0;
  const command = { program: process.execPath, args: ['--no-such-option'], onStart: () => (startCount += 1) };
  const guardian = startGuardian(command, 'mac', () => []);
  await delay(2000);
  guardian.close();
  expect(startCount).toBeGreaterThan(1);
  expect(startCount).toBeLessThan(6);
});
