import { release } from 'node:os';
import { handleCommand, type AgentTool } from '#platform/agent/tool.ts';
import { CallError, type Client } from '#platform/contract/client.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { describeRuntime, performStep, startselfcheck } from '../contract.ts';
import { selfcheckPage } from '../page.ts';
import { createStepRunner } from './stepRunner.ts';

/** How long the page may wait between two steps. */
const IDLE_TIMEOUT_MS = 30 * MINUTE_MS;

/** @throws Refusal if the server can't be reached. */
async function getOwnId(call: Client) {
  try {
    return await call(startselfcheck, {});
  } catch (cause) {
    if (!(cause instanceof CallError)) throw cause;
    throw new Refusal(
      'selfcheck.server_unreachable',
      `The check needs the server, which can't be reached: ${cause.message}`,
      { cause },
    );
  }
}

interface Run {
  readonly id: string;
  lastUsedAt: number;
}

/**
 * Does what the page of a self-check requests, but only for the check that was started last with `agent try` here.
 */
export const selfcheck: AgentTool = {
  name: 'selfcheck',
  start: (context) => {
    let current: Run | undefined;
    const steps = createStepRunner(context);

    /** @throws Refusal if this is not the check that was started last, or it is too old. */
    function requireRun(id: string): void {
      const now = performance.now();
      if (current?.id !== id || now - current.lastUsedAt > IDLE_TIMEOUT_MS)
        throw new Refusal('selfcheck.not_started', 'This check has ended. Run `agent try` on the computer again');
      current.lastUsedAt = now;
    }
    return {
      subcommands: [
        {
          name: 'try',
          /** Returns the path of the page, for the command line to open. */
          run: async () => {
            if (context.isPaused())
              throw new Refusal('agent.paused', 'The agent is paused. Run `resume` first, then `try` again');
            const { device } = await getOwnId(context.call);
            current = { id: crypto.randomUUID(), lastUsedAt: performance.now() };
            return [`${selfcheckPage.path}?device=${device}&run=${current.id}`];
          },
        },
      ],
      commands: [
        handleCommand(describeRuntime, async ({ run }) => {
          requireRun(run);
          return { runtime: `Node ${process.versions.node}, ${process.platform} ${release()}, ${process.arch}` };
        }),
        handleCommand(performStep, async ({ run, step }, onProgress) => {
          requireRun(run);
          return steps.run(step, onProgress);
        }),
      ],
    };
  },
};
