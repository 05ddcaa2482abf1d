import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDesktopSession } from '#platform/agent/drivers/openDesktopSession.ts';
import { openDisplay } from '#platform/agent/drivers/x11/display.ts';
import { startProgram } from '../journeys/program.ts';
import { waitFor } from '../kits/desktop/desktop.ts';
import { openInputWatcher } from '../kits/desktop/sway.ts';
import { GTK_ENV } from '../kits/desktop/textWindow.ts';
import { KEY_CODES, type VirtualDesktop } from '../kits/desktop/virtualDesktop.ts';
import { enterPairingCode, removeAgentData, startWindowsAgent } from '../kits/desktop/windowsAgent.ts';
import { getWineSkipReason, startWindows, type WindowsDesktop } from '../kits/desktop/wine.ts';
import { signUpOwner, type BenchOwner } from './account.ts';
import type { BenchAgent } from './agent.ts';
import { isSelected, printFigures, selectDesktops, startDesktopAgent } from './desktops.ts';
import {
  createScratchFolder,
  formatMs,
  runPegboard,
  type Bench,
  type BenchFigure,
  type RunningServer,
} from './measure.ts';

const ROUNDS = 3;
const MAX_RELEASE_MS = 2000;
/** What is down then stays down. */
const TIMEOUT_MS = 20_000;
/** An agent that has just started has no guardian yet. */
const GUARDIAN_START_MS = 1500;
/** Bits of the state of X11's pointer. */
const X_MASKS = { control: 0x4, leftButton: 0x100 } as const;
/** Windows' codes. */
const VIRTUAL_KEYS = { control: 0x11, leftButton: 0x01 } as const;
const WAYLAND_INPUTS = [`key ${KEY_CODES.LeftControl}`, 'button 272', 'modifiers 4'];

/** Which of Ctrl and the mouse button are down, as the desktop itself reports it. */
type InputState = 'all' | 'some' | 'none';

function toInputState(areDown: readonly boolean[]): InputState {
  if (areDown.every(Boolean)) return 'all';
  return areDown.some(Boolean) ? 'some' : 'none';
}

/** A desktop on which an agent holds Ctrl and a mouse button. */
interface HoldingDesktop {
  readonly name: string;
  readonly startAgent: (server: RunningServer, owner: BenchOwner) => Promise<BenchAgent>;
  readonly readInputs: () => InputState | Promise<InputState>;
}

interface Failure {
  readonly name: string;
  readonly cause: (agent: BenchAgent, server: RunningServer) => unknown;
}

const FAILURES: readonly Failure[] = [
  { name: 'agent killed', cause: ({ pid }) => process.kill(pid, 'SIGKILL') },
  { name: 'agent stopped', cause: ({ pid }) => process.kill(pid, 'SIGSTOP') },
  { name: 'server killed', cause: (_, { child }) => child.kill('SIGKILL') },
  // As if the network were lost: the connection stays, and nothing arrives.
  { name: 'server stopped', cause: (_, { child }) => child.kill('SIGSTOP') },
];

/** Lets a phone hold Ctrl and a button. Returns milliseconds from the failure until both are released. */
async function measureRelease({ startAgent, readInputs }: HoldingDesktop, { cause }: Failure): Promise<number> {
  await using server = await runPegboard({ RATE_LIMITS: 'off' });
  // A stopped server can't end.
  using _resumed = { [Symbol.dispose]: () => server.child.kill('SIGCONT') };
  const owner = await signUpOwner(server.origin);
  await using agent = await startAgent(server, owner);
  await sleep(GUARDIAN_START_MS);
  const phonePath = join(import.meta.dirname, '../load/phone.ts');
  await using _phone = startProgram([phonePath, server.origin, owner.token, agent.target, 'pad'], process.env);
  await waitFor('all inputs are down', async () => (await readInputs()) === 'all');
  const failedAt = performance.now();
  cause(agent, server);
  const getDurationMs = (): number => performance.now() - failedAt;
  while ((await readInputs()) !== 'none' && getDurationMs() < TIMEOUT_MS) await sleep(1);
  return getDurationMs();
}

async function measureDesktop(desktop: HoldingDesktop): Promise<BenchFigure> {
  const worstTimes: number[] = [];
  for (const failure of FAILURES) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await measureRelease(desktop, failure));
    worstTimes.push(Math.max(...times));
  }
  return {
    name: `${desktop.name}: a failure while a phone holds Ctrl and a mouse button, until both are released`,
    target: `under ${MAX_RELEASE_MS} ms`,
    measured: FAILURES.map(({ name }, index) => `${name} ${formatMs(worstTimes[index] ?? Number.NaN)}`).join(', '),
    isTargetMet: Math.max(...worstTimes) < MAX_RELEASE_MS,
  };
}

/** Starts the agent in Node for Windows, as a new computer. */
async function startAgentUnderWine(
  windows: WindowsDesktop,
  { origin }: RunningServer,
  owner: BenchOwner,
): Promise<BenchAgent> {
  await removeAgentData(windows);
  const agent = startWindowsAgent(windows, 'pair', origin, '--name', 'bench');
  const target = await enterPairingCode(agent, owner);
  // The program around Wine has one child: Node.
  const pid = Number(readFileSync(`/proc/${agent.child.pid}/task/${agent.child.pid}/children`, 'utf8'));
  return { target, pid, [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose]() };
}

async function measureWine(): Promise<BenchFigure> {
  await using windows = await startWindows();
  return await measureDesktop({
    name: 'Wine',
    startAgent: (server, owner) => startAgentUnderWine(windows, server, owner),
    readInputs: async () =>
      toInputState(
        await windows.run(
          ({ injector }, codes) => codes.map((code) => injector.isDown(code)),
          Object.values(VIRTUAL_KEYS),
        ),
      ),
  });
}

interface InputReader extends AsyncDisposable {
  readonly readInputs: HoldingDesktop['readInputs'];
}

async function openXReader(displayName: string): Promise<InputReader> {
  const display = await openDisplay(displayName);
  const { x, root, request } = display;
  return {
    readInputs: async () => {
      const { keyMask } = await request<{ readonly keyMask: number }>((done) => x.QueryPointer(root, done));
      return toInputState(Object.values(X_MASKS).map((mask) => (keyMask & mask) !== 0));
    },
    [Symbol.asyncDispose]: () => display[Symbol.asyncDispose](),
  };
}

/** Opens a window, and moves the pointer over it. */
async function openWaylandReader({ env }: VirtualDesktop): Promise<InputReader> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await createScratchFolder());
  const watcher = opening.use(
    await openInputWatcher(
      { spawn: (program, args) => spawn(program, [...args], { env: { ...env, ...GTK_ENV }, stdio: 'ignore' }) },
      ['/usr/bin/python3', 'testing/python/textView.py', join(folder.path, 'text')],
    ),
  );
  await using session = await openDesktopSession({ env, heldPath: join(folder.path, 'held.json') });
  session.mouse.centre();
  await session.mouse.releaseAll();
  const opened = opening.move();
  return {
    readInputs: () => {
      const down = watcher.listDown();
      return down.length === 0 ? 'none' : toInputState(WAYLAND_INPUTS.map((input) => down.includes(input)));
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Failures of the agent, its server and the network while a key and a button are down; the worst of three each. */
export const releaseBench: Bench = {
  name: 'release',
  run: async () => {
    const figures: BenchFigure[] = [];
    for (const { name, start } of selectDesktops()) {
      await using desktop = await start();
      await using reader = await (desktop.name === 'X11'
        ? openXReader(desktop.env['DISPLAY'] ?? '')
        : openWaylandReader(desktop));
      const startAgent: HoldingDesktop['startAgent'] = (server, owner) => startDesktopAgent(server, owner, desktop);
      const figure = await measureDesktop({ name, startAgent, readInputs: reader.readInputs });
      figures.push(figure);
      printFigures([figure]);
    }
    if (isSelected('Wine') && getWineSkipReason() === undefined) figures.push(await measureWine());
    return figures;
  },
};
