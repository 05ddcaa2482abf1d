import { join } from 'node:path';
import { SERVICE_ENVIRONMENT } from '#platform/agent/service.ts';
import { startProgram } from '../journeys/program.ts';
import { pairWith, type BenchOwner } from './account.ts';
import type { RunningServer } from './measure.ts';

export interface BenchAgent extends AsyncDisposable {
  /** Target id of the computer. */
  readonly target: string;
  /** Process id of the agent. */
  readonly pid: number;
}

export interface BenchAgentOptions {
  /** Name of the folder with its data. */
  readonly name?: string;
  /** Home of the user, if the desktop has its own. */
  readonly home?: string | undefined;
}

/**
 * Starts the built agent like its service does, in an environment such as a desktop's, with its own folders.
 * Pairs it, and waits until it is connected.
 */
export async function startAgent(
  server: RunningServer,
  owner: BenchOwner,
  env: NodeJS.ProcessEnv,
  { name = 'agent', home }: BenchAgentOptions = {},
): Promise<BenchAgent> {
  const folder = join(server.dataDir, name);
  const agent = startProgram(['apps/agent/dist/agent.mjs', 'pair', server.origin], {
    ...env,
    ...SERVICE_ENVIRONMENT,
    HOME: home ?? folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_RUNTIME_DIR: home ?? folder,
  });
  const [, code = ''] = await agent.waitForOutput(/^ {4}(\S+)$/m);
  const target = await pairWith(owner, code);
  await agent.waitForOutput(/connected/i);
  return { target, pid: agent.child.pid ?? 0, [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose]() };
}
