import { Refusal } from '#platform/contract/refusal.ts';
import type { ConfirmationPrompt } from '../drivers.ts';
import type { DesktopNotifications } from '../notifications.ts';
import { runProgram } from './programs.ts';

// Texts are passed as arguments, so they can't become part of the script. The first argument isn't a text, because
// `osascript` would take one that starts with a hyphen for an option.
const FIRST_ARGUMENT = 'pegboard';
const NOTIFICATION_SCRIPT = `on run argv
display notification (item 3 of argv) with title (item 2 of argv)
end run`;
/** Neither button is the default one: somebody who is typing must not answer by accident. */
const QUESTION_SCRIPT = `on run argv
set answer to display dialog (item 3 of argv) with title (item 2 of argv) buttons {item 5 of argv, item 4 of argv} giving up after ((item 6 of argv) as integer)
if gave up of answer then return "none"
if button returned of answer is item 4 of argv then return "yes"
return "no"
end run`;
/** The dialog closes after its own time; this ends a script that hangs. */
const EXTRA_TIMEOUT_MS = 5000;

const createFailure = (problem: string, cause?: unknown): Refusal =>
  new Refusal('device.no_notifications', `The agent can't show notifications on that computer: ${problem}`, { cause });

/** Shows notifications and questions with `osascript`, which is part of macOS. */
export function createMacNotifications(env: NodeJS.ProcessEnv): DesktopNotifications {
  const lifetime = new AbortController();
  async function runScript(script: string, args: readonly string[], signal: AbortSignal): Promise<string> {
    const result = await runProgram('osascript', ['-e', script, FIRST_ARGUMENT, ...args], { env, signal }).catch(
      (cause: unknown) => {
        throw createFailure(cause instanceof Error ? cause.message : String(cause), cause);
      },
    );
    if (signal.aborted) return '';
    if (result.code !== 0) throw createFailure(result.errors || `osascript exited with ${result.code}`);
    return result.output.trim();
  }
  async function confirm(question: ConfirmationPrompt): Promise<boolean | undefined> {
    const { title, text, confirmLabel, rejectLabel, timeoutMs } = question;
    const seconds = Math.max(1, Math.ceil(timeoutMs / 1000));
    const signal = AbortSignal.any([lifetime.signal, AbortSignal.timeout(timeoutMs + EXTRA_TIMEOUT_MS)]);
    const args = [title, text, confirmLabel, rejectLabel, String(seconds)];
    const answer = await runScript(QUESTION_SCRIPT, args, signal);
    return answer === 'yes' || answer === 'no' ? answer === 'yes' : undefined;
  }
  return {
    ability: { able: true },
    show: async (title, text) => void (await runScript(NOTIFICATION_SCRIPT, [title, text], lifetime.signal)),
    confirm,
    [Symbol.asyncDispose]: async () => lifetime.abort(),
  };
}
