import { handleCommand, type AgentContext, type StartedAgentTool } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { limitNotice } from '../contract.ts';

/** Shows on the desktop that a limit is nearly reached or passed, or says it at the terminal where the desktop has no notifications. */
export const noticeLimits = ({
  allowed,
  drivers,
  print,
}: Pick<AgentContext, 'allowed' | 'drivers' | 'print'>): Pick<StartedAgentTool, 'commands'> => ({
  commands: [
    handleCommand(limitNotice, async ({ title, text }) => {
      if (!allowed.notifications)
        throw new Refusal('Switched off on that computer; its agent was started with --no-notifications');
      if (drivers.notifications.ability.able) await drivers.notifications.show(title, text);
      else print(`${title}: ${text}`);
      return {};
    }),
  ],
});
