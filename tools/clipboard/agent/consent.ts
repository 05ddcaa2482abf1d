import type { AgentContext } from '#platform/agent/tool.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';

/** The server waits five seconds for a device; the person's answer may take longer than what is left of them. */
const ANSWER_TIMEOUT_MS = 3500;
/** How long the question is shown, and how long the answer is valid. */
const CONSENT_TTL_MS = MINUTE_MS;

const SWITCHED_OFF_MESSAGE = 'Turned off on that computer. Start its agent with --allow-clipboard';
const ASKING_MESSAGE = 'That computer is asking for permission. Allow it there, then fetch again';
const REFUSED_MESSAGE = 'Access was refused on that computer. You can ask again in a minute';
const UNANSWERED_MESSAGE = 'The request on that computer was not answered. Fetch again';
const HOW_TO_ALLOW_MESSAGE =
  'its agent must ask before it reads the clipboard. Start the agent without --confirm to allow it';

type Answer = boolean | undefined;

/** Asks the person at the computer before each use of its clipboard, and notifies them about it. */
export interface Consent {
  /** @throws Refusal if the clipboard is turned off or not supported. */
  readonly requireAllowed: () => void;
  /**
   * With `--confirm` each read must be allowed on the computer.
   * @throws Refusal until it is allowed.
   */
  readonly requireConsent: (by: string) => Promise<void>;
  /** Prints a line in the terminal and shows it as a notification. */
  readonly notify: (line: string) => void;
  readonly stop: () => void;
}

const waitForTimeout = (ms: number): Promise<'later'> =>
  new Promise((done) => setTimeout(() => done('later'), ms).unref());

export function createConsent({ drivers, allowed, isConfirmationRequired, print }: AgentContext): Consent {
  const { notifications } = drivers;
  let pendingAnswer: Promise<Answer> | undefined;
  let expiryTimer: NodeJS.Timeout | undefined;

  function reset(): void {
    clearTimeout(expiryTimer);
    pendingAnswer = undefined;
  }
  /** Returns the open question, or its answer from the last minute. */
  function askPerson(by: string): Promise<Answer> {
    if (pendingAnswer) return pendingAnswer;
    const text = `${by} wants to read this computer's clipboard`;
    print(`${text}. Asking on the desktop`);
    const request = notifications.confirm({
      title: 'Pegboard',
      text,
      confirmLabel: 'Allow',
      rejectLabel: 'Refuse',
      timeoutMs: CONSENT_TTL_MS,
    });
    pendingAnswer = request;
    function settle(answer: Answer): void {
      if (answer === undefined) reset();
      else expiryTimer = setTimeout(reset, CONSENT_TTL_MS).unref();
    }
    request.then(settle, reset);
    return request;
  }

  return {
    requireAllowed: () => {
      if (!allowed.clipboard) throw new Refusal('device.feature_off', SWITCHED_OFF_MESSAGE);
      const { ability } = drivers.clipboard;
      if (!ability.able) throw new Refusal('clipboard.unsupported', ability.reason);
    },
    requireConsent: async (by) => {
      if (!isConfirmationRequired) return;
      if (!allowed.notifications)
        throw new Refusal(
          'clipboard.notifications_off',
          `Notifications are turned off on that computer, but ${HOW_TO_ALLOW_MESSAGE}`,
        );
      const answer = await Promise.race([askPerson(by), waitForTimeout(ANSWER_TIMEOUT_MS)]).catch((cause: unknown) => {
        if (cause instanceof Refusal)
          throw new Refusal('clipboard.notifications_off', `${cause.message}, but ${HOW_TO_ALLOW_MESSAGE}`, { cause });
        throw cause;
      });
      if (answer === 'later') throw new Refusal('clipboard.consent_pending', ASKING_MESSAGE);
      if (answer === undefined) throw new Refusal('clipboard.consent_unanswered', UNANSWERED_MESSAGE);
      if (!answer) throw new Refusal('clipboard.consent_refused', REFUSED_MESSAGE);
      reset(); // the permission is for one read
    },
    notify: (line) => {
      print(line);
      if (!allowed.notifications || !notifications.ability.able) return;
      notifications
        .show('Pegboard', line)
        .catch((error: unknown) =>
          print(`Could not show a notification: ${error instanceof Error ? error.message : 'unknown error'}`),
        );
    },
    stop: reset,
  };
}
