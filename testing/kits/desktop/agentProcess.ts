import { spawn, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

export interface AgentProcessOptions {
  /** Environment of the desktop. */
  readonly env: NodeJS.ProcessEnv;
  readonly heldPath: string;
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
  { env, heldPath, hasGuardian = true, node = process.execPath }: AgentProcessOptions,
  code: string,
): Promise<AgentProcess> {
  const guardian = { program: process.execPath, args: [resolve('apps/agent/main.ts'), '--guardian'] };
  const options = { heldPath, guardian: hasGuardian ? guardian : undefined };
  const program = `
    import { openDesktopSession } from '#platform/agent/drivers/openDesktopSession.ts';
    const session = await openDesktopSession({ env: process.env, ...${JSON.stringify(options)} });
    const result = await (async () => { ${code} })();
    process.stdout.write(JSON.stringify(result ?? null) + '\\n');
    setInterval(() => undefined, 1000);`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
  const child = spawn(node, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) return { child, result: JSON.parse(line) };
  throw new Error('the agent has ended');
}
