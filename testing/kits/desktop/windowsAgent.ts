// The built agent as a program of Windows, under Wine.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pairdevice } from '#tools/devices/contract.ts';
import type { TestAccount } from '../server/server.ts';
import { waitFor } from './desktop.ts';
import { hasEnded } from './virtualDesktop.ts';
import { toWindowsPath, type WindowsDesktop, type WindowsProgram } from './wine.ts';

const AGENT = toWindowsPath(resolve('apps/agent/dist/agent.mjs'));
const TICKS_PER_SECOND = 100;

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
export async function waitForEnd({ child }: WindowsProgram): Promise<number | null> {
  if (!hasEnded(child)) await once(child, 'exit');
  return child.exitCode;
}

/** Returns what a Node program has used: seconds of a core, and megabytes of memory that no file backs. */
export function readUse({ child }: WindowsProgram): { readonly coreSeconds: number; readonly megabytes: number } {
  // The program around Wine has one child: Node.
  const pid = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const anonymousKib = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    coreSeconds: (Number(stat[11]) + Number(stat[12])) / TICKS_PER_SECOND,
    megabytes: (Number(anonymousKib) * 1024) / 1e6,
  };
}

/** Waits until the agent is connected. @throws with its output if it doesn't connect. */
export async function waitForConnection(agent: WindowsProgram): Promise<void> {
  try {
    await waitFor('the agent connects', () => agent.getOutput().includes('Connected to'));
  } catch (error) {
    throw new Error(`the agent did not connect; it printed: ${agent.getOutput()}`, { cause: error });
  }
}

/** Enters the code of an agent that was started with `pair`. Returns the id of the computer. */
export async function enterPairingCode(agent: WindowsProgram, account: Pick<TestAccount, 'call'>): Promise<string> {
  const code = await waitFor('a code is shown', () => /\n {4}(\S+)\r?\n/.exec(agent.getOutput())?.[1]);
  const { id } = await account.call(pairdevice, { code });
  await waitForConnection(agent);
  return String(id);
}
