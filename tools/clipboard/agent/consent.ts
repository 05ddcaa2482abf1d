import type { AgentContext } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';

/** The server gives a device five seconds; the person's answer may take longer than what is left of them. */
const ANSWER_TIMEOUT_MS = 3500;
/** The question stands so long, and what was answered holds so long. */
const CONSENT_TTL_MS = 60_000;

const SWITCHED_OFF = 'Switched off on that computer; its agent needs --allow-clipboard';
const ASKING = 'That computer asks whether to allow it: answer there, then fetch again';
const REFUSED = 'It was refused on that computer; it asks again in a minute';
const UNANSWERED = 'Nobody answered on that computer';
const HOW_TO_ALLOW = 'it asks before the clipboard is read. Start its agent without --confirm to allow it';

type Answer = boolean | undefined;

/** What the person at the computer has to say to each use of its clipboard, and hears of it. */
export interface Consent {
  readonly refuseSwitchedOff: () => void;
  /** With `--confirm` each reading is allowed on the computer. @throws Refusal until it is. */
  readonly ask: (by: string) => Promise<void>;
  /** At the terminal and as a notification. */
  readonly tell: (line: string) => void;
  readonly stop: () => void;
}

const later = (ms: number): Promise<'later'> => new Promise((done) => setTimeout(() => done('later'), ms).unref());

export function createConsent({ drivers, allowed, isConfirmationRequired, print }: AgentContext): Consent {
  const { notifications } = drivers;
  let standing: Promise<Answer> | undefined;
  let forgetting: NodeJS.Timeout | undefined;

  const forget = (): void => {
    clearTimeout(forgetting);
    standing = undefined;
  };
  /** The question that stands, or what it was answered within the last minute. */
  const question = (by: string): Promise<Answer> => {
    if (standing) return standing;
    const text = `${by} wants to read this computer's clipboard`;
    print(`${text}; asked on the desktop`);
    const asked = notifications.confirm({
      title: 'Pegboard',
      text,
      confirmLabel: 'Allow',
      rejectLabel: 'Refuse',
      timeoutMs: CONSENT_TTL_MS,
    });
    standing = asked;
    const settle = (answer: Answer): void => {
      if (answer === undefined) forget();
      else forgetting = setTimeout(forget, CONSENT_TTL_MS).unref();
    };
    asked.then(settle, forget);
    return asked;
  };

  return {
    refuseSwitchedOff: () => {
      if (!allowed.clipboard) throw new Refusal(SWITCHED_OFF);
      const { ability } = drivers.clipboard;
      if (!ability.able) throw new Refusal(ability.reason);
    },
    ask: async (by) => {
      if (!isConfirmationRequired) return;
      if (!allowed.notifications)
        throw new Refusal(`Notifications are switched off on that computer, and ${HOW_TO_ALLOW}`);
      const answer = await Promise.race([question(by), later(ANSWER_TIMEOUT_MS)]).catch((cause: unknown) => {
        if (cause instanceof Refusal) throw new Refusal(`${cause.message}, and ${HOW_TO_ALLOW}`, { cause });
        throw cause;
      });
      if (answer === 'later') throw new Refusal(ASKING);
      if (answer === undefined) throw new Refusal(UNANSWERED);
      if (!answer) throw new Refusal(REFUSED);
      forget(); // allowed once
    },
    tell: (line) => {
      print(line);
      if (!allowed.notifications || !notifications.ability.able) return;
      notifications
        .show('Pegboard', line)
        .catch((error: unknown) =>
          print(`A notification failed: ${error instanceof Error ? error.message : 'no reason'}`),
        );
    },
    stop: forget,
  };
}
