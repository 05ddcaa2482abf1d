import { Refusal } from '#platform/contract/refusal.ts';
import type { ClipboardDriver } from '../drivers.ts';
import { runProgram } from './programs.ts';

const FAILED_MESSAGE = "The agent can't use the clipboard of that computer";

/** Uses pbcopy and pbpaste, which are part of macOS. They need no permission. */
export function createMacClipboard(env: NodeJS.ProcessEnv): ClipboardDriver {
  async function run(program: string, args: readonly string[], input?: string): Promise<string> {
    try {
      const { code, output, errors } = await runProgram(program, args, {
        env,
        ...(input === undefined ? {} : { input }),
      });
      if (code !== 0) throw new Error(errors || `${program} exited with ${code}`);
      return output;
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : String(cause);
      throw new Refusal('device.no_clipboard', `${FAILED_MESSAGE}: ${problem}`, { cause });
    }
  }
  return {
    ability: { able: true },
    read: () => run('pbpaste', ['-Prefer', 'txt']),
    write: async (text) => void (await run('pbcopy', [], text)),
  };
}
