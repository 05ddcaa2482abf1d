// The built agent as a program of Windows, under Wine.
import { resolve } from 'node:path';
import { pairdevice } from '#tools/devices/contract.ts';
import type { TestAccount } from '../server/server.ts';
import { waitFor } from './desktop.ts';
import { toWindowsPath, type WindowsDesktop, type WindowsProgram } from './wine.ts';

const AGENT = toWindowsPath(resolve('apps/agent/dist/agent.mjs'));

/** Removes what an agent has stored for the user of this Windows. */
export function removeAgentData(windows: WindowsDesktop): Promise<void> {
  return windows.run(async ({ import: load }) => {
    const { rmSync } = (await load('node:fs')) as typeof import('node:fs');
    for (const name of ['APPDATA', 'LOCALAPPDATA'])
      rmSync(`${process.env[name]}\\pegboard`, { recursive: true, force: true });
  });
}

/** Starts the agent with arguments of its command line. */
export function startWindowsAgent(windows: WindowsDesktop, ...args: readonly string[]): WindowsProgram {
  return windows.startNode([AGENT, ...args]);
}

/** Waits until a program ends. Returns its exit code. */
export function waitForEnd({ child }: WindowsProgram): Promise<number | null> {
  return new Promise((done) => {
    if (child.exitCode !== null) done(child.exitCode);
    else child.once('exit', done);
  });
}

/** Waits until the agent is connected. @throws with its output if it is not. */
export async function waitForConnection(agent: WindowsProgram): Promise<void> {
  try {
    await waitFor('the agent connects', () => agent.getOutput().includes('Connected to'));
  } catch (error) {
    throw new Error(`the agent did not connect; it printed: ${agent.getOutput()}`, { cause: error });
  }
}

/** Enters the code of an agent that was started with `pair`. Returns the id of the computer. */
export async function enterPairingCode(agent: WindowsProgram, account: TestAccount): Promise<string> {
  const code = await waitFor('a code is shown', () => /\n {4}(\S+)\r?\n/.exec(agent.getOutput())?.[1]);
  const { id } = await account.call(pairdevice, { code });
  await waitForConnection(agent);
  return String(id);
}
