import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { openSystemDrivers } from '#platform/agent/drivers/systemDrivers.ts';
import { startServer } from '../server/server.ts';
import { waitFor } from './desktop.ts';
import { startDevice } from './device.ts';
import { openFocusedWindow, tapAndRead, type TestSession } from './sessionSuite.ts';
import type { TextProgram, TextWindow } from './textWindow.ts';
import { readTextFile } from './virtualDesktop.ts';

export interface AgentProcessOptions {
  readonly hasGuardian?: boolean;
  /** Path of Node; that of this process by default. */
  readonly node?: string;
}

export interface AgentProcess {
  readonly child: ChildProcess;
  /** What the code returned. */
  readonly result: unknown;
}

/**
 * Starts an agent in a process of its own, which tests kill or suspend. It opens the desktop, and runs code with the
 * variable `session`. Resolves when that is done.
 */
export async function startAgentProcess(
  { desktop, folder }: Pick<TestSession, 'desktop' | 'folder'>,
  code: string,
  { hasGuardian = true, node = process.execPath }: AgentProcessOptions = {},
): Promise<AgentProcess> {
  const guardian = { program: process.execPath, args: [resolve('apps/agent/main.ts'), '--guardian'] };
  const options = { heldPath: join(folder, 'agent-held.json'), guardian: hasGuardian ? guardian : undefined };
  const program = `
    import { openDesktopSession } from '#platform/agent/drivers/openDesktopSession.ts';
    const session = await openDesktopSession({ env: process.env, ...${JSON.stringify(options)} });
    const result = await (async () => { ${code} })();
    process.stdout.write(JSON.stringify(result ?? null) + '\\n');
    setInterval(() => undefined, 1000);`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
  const child = spawn(node, args, { env: desktop.env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) return { child, result: JSON.parse(line) };
  throw new Error('the agent has ended');
}

/** Returns whether a process has reported that it handles a signal. Before that, the signal ends it. */
export function isSignalCaught(pid: number, signal: NodeJS.Signals): boolean {
  const mask = /^SigCgt:\s+(\w+)$/m.exec(readTextFile(`/proc/${pid}/status`))?.[1] ?? '0';
  return ((BigInt(`0x${mask}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}

/** Resolves when the guardian of an agent watches over it. */
export async function waitForGuardian({ pid = 0 }: ChildProcess): Promise<void> {
  await waitFor('the guardian runs', () =>
    readTextFile(`/proc/${pid}/task/${pid}/children`)
      .split(' ')
      .some((child) => isSignalCaught(Number(child), 'SIGTERM')),
  );
}

/** Defines the tests that an agent which ends or loses its server leaves no key down. */
export function testKeyRelease(subject: TestSession, program: TextProgram): void {
  const waitForRelease = (window: TextWindow) =>
    waitFor('the key is released', async () => (await tapAndRead(subject.desktop, window)) === 'a');

  test.each(['SIGKILL', 'SIGSTOP'] as const)('a key that an agent holds is released after %s', async (signal) => {
    await using window = await openFocusedWindow(subject, program);
    const { child } = await startAgentProcess(subject, "await session.keyboard.holdModifiers(['Shift']);");
    await waitForGuardian(child);
    expect(await tapAndRead(subject.desktop, window)).toBe('A');
    child.kill(signal);
    await waitForRelease(window);
  });

  test('a key that an agent holds is released when it loses its server', async () => {
    await using window = await openFocusedWindow(subject, program);
    const server = await startServer();
    await using drivers = await openSystemDrivers({ env: subject.desktop.env, stateDir: subject.folder });
    await using _device = await startDevice(server, await server.createAccount('anna'), { drivers });
    await drivers.keyboard.holdModifiers(['Shift']);
    expect(await tapAndRead(subject.desktop, window)).toBe('A');
    await server[Symbol.asyncDispose]();
    await waitForRelease(window);
  });
}
