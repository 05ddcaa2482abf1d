import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAgent, type Agent } from '#platform/agent/agent.ts';
import type { Drivers } from '#platform/agent/drivers/drivers.ts';
import { createFakeDrivers, type FakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import type { LinkEndReason, Welcome } from '#platform/agent/serverLink.ts';
import type { AgentTool, AllowedAbilities } from '#platform/agent/tool.ts';
import { createClient } from '#platform/contract/client.ts';
import { pairdevice, requestpairing, takepairing } from '#tools/devices/contract.ts';
import { agentTools } from '../../../apps/agent/tools.ts';
import type { TestAccount } from '../server/server.ts';

export interface TestDeviceOptions<D extends Drivers> {
  readonly name?: string;
  readonly allow?: Partial<AllowedAbilities>;
  readonly confirm?: boolean;
  /** Tools in place of the agent's own. */
  readonly tools?: readonly AgentTool[];
  /** Drivers in place of the fake ones; the caller closes them. */
  readonly drivers?: D;
  /** Folder and token of an earlier agent, to start the same device again. */
  readonly again?: { readonly stateDir: string; readonly token: string };
}

export interface TestDevice<D extends Drivers = FakeDrivers> extends AsyncDisposable {
  /** The id that the server assigned. */
  readonly id: number;
  readonly name: string;
  /** The id as used in calls. */
  readonly target: string;
  readonly token: string;
  readonly stateDir: string;
  readonly drivers: D;
  readonly agent: Agent;
  /** Lines that the agent printed to its terminal. */
  readonly printedLines: readonly string[];
  /** Resolves when the link ends for good. */
  readonly ended: Promise<LinkEndReason>;
  readonly setPaused: (on: boolean) => void;
}

const EVERYTHING_ALLOWED: AllowedAbilities = {
  keyboard: true,
  mouse: true,
  sound: true,
  usage: true,
  messages: true,
  notifications: true,
  clipboard: true,
  scripts: true,
  capture: true,
};

async function pairDevice(origin: string, account: TestAccount, name: string): Promise<string> {
  const call = createClient({ origin });
  const { code, secret } = await call(requestpairing, { name, system: 'Fake computer' });
  await account.call(pairdevice, { code });
  const { token } = await call(takepairing, { secret });
  if (token === undefined) throw new Error('the server gave no token for a code that was entered');
  return token;
}

/** Starts the real agent in this process, paired with the account and connected; with fake drivers by default. */
export async function startDevice<D extends Drivers = FakeDrivers>(
  { origin }: { readonly origin: string },
  account: TestAccount,
  options: TestDeviceOptions<D> = {},
): Promise<TestDevice<D>> {
  const { again } = options;
  const stateDir = again?.stateDir ?? (await mkdtemp(join(tmpdir(), 'pegboard-agent-')));
  const token = again?.token ?? (await pairDevice(origin, account, options.name ?? 'Laptop'));
  // Without drivers, D is its default.
  const drivers = options.drivers ?? (createFakeDrivers() as unknown as D);
  const printedLines: string[] = [];
  const welcomed = Promise.withResolvers<Welcome>();
  const ended = Promise.withResolvers<LinkEndReason>();
  let isPaused = false;
  const agent = startAgent({
    origin,
    token,
    version: 'test',
    drivers,
    allowed: { ...EVERYTHING_ALLOWED, ...options.allow },
    confirm: options.confirm ?? false,
    tools: options.tools ?? agentTools,
    stateDir,
    print: (line) => void printedLines.push(line),
    isPaused: () => isPaused,
    onWelcome: welcomed.resolve,
    onEnd: ended.resolve,
  });
  const first = await Promise.race([welcomed.promise, ended.promise]);
  if (typeof first === 'string') throw new Error(`the server did not take the device: ${first}`);
  return {
    id: first.id,
    name: first.name,
    target: String(first.id),
    token,
    stateDir,
    drivers,
    agent,
    printedLines,
    ended: ended.promise,
    setPaused: (on) => {
      isPaused = on;
      agent.sendDescription();
    },
    [Symbol.asyncDispose]: async () => {
      await agent[Symbol.asyncDispose]();
      if (!again) await rm(stateDir, { recursive: true, force: true });
    },
  };
}
