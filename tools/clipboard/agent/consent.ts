import type { AgentGround } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';

const SWITCHED_OFF = 'Switched off on that computer; its agent needs --allow-clipboard';

/** What the person at the computer has to say to each use of its clipboard, and hears of it. */
export interface Consent {
  readonly refuseSwitchedOff: () => void;
  /** With `--confirm` the text is given only to what was allowed on the computer. @throws Refusal until it is. */
  readonly ask: (by: string) => Promise<void>;
  /** At the terminal and as a notification. */
  readonly tell: (line: string) => void;
  readonly stop: () => void;
}

export const makeConsent = ({ drivers, allowed, say }: AgentGround): Consent => ({
  refuseSwitchedOff: () => {
    if (!allowed.clipboard) throw new Refusal(SWITCHED_OFF);
    const { ability } = drivers.clipboard;
    if (!ability.able) throw new Refusal(ability.reason);
  },
  ask: async () => undefined,
  tell: (line) => {
    say(line);
    const { notifications } = drivers;
    if (!allowed.notifications || !notifications.ability.able) return;
    notifications.show('Pegboard', line).catch((error: unknown) => say(`A notification failed: ${String(error)}`));
  },
  stop: () => undefined,
});
