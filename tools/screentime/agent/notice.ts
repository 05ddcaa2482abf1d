import { obey, type AgentGround, type AgentParts } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { limitNotice } from '../contract.ts';

/** Shows on the desktop that a limit is nearly reached or passed, or says it at the terminal where the desktop has no notifications. */
export const noticeLimits = ({
  allowed,
  drivers,
  say,
}: Pick<AgentGround, 'allowed' | 'drivers' | 'say'>): Pick<AgentParts, 'commands'> => ({
  commands: [
    obey(limitNotice, async ({ title, text }) => {
      if (!allowed.notifications)
        throw new Refusal('Switched off on that computer; its agent was started with --no-notifications');
      if (drivers.notifications.ability.able) await drivers.notifications.show(title, text);
      else say(`${title}: ${text}`);
      return {};
    }),
  ],
});
