import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountData } from '#platform/agent/pairedAccount.ts';
import { type StartedAgentTool, type AgentTool, handleCommand, type AgentContext } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { limitNotice } from '../contract.ts';
import { type ActivityWatchOptions, startActivityWatch } from './activitywatch/activityWatch.ts';
import { startHotkeys } from './hotkeys.ts';
import { type MeasuringOptions, startMeasuring } from './measuring.ts';
import { countWaiting } from './usageSpool.ts';

/**
 * Excludes `usage.json` and `activitywatch.json`, which are settings of the person at the computer and apply to any
 * account.
 */
const isAccountFile = (name: string): boolean =>
  name.startsWith('usage.db') || name.startsWith('usage.alive') || name.startsWith('hotkeys.json');

/** Files that belong to an account: recorded usage and the last hotkeys. */
export const screentimeAccountData: AccountData = {
  listUnsent: (stateDir) => {
    const count = countWaiting(stateDir);
    return count > 0 ? [`${count} usage ${count === 1 ? 'record' : 'records'}`] : [];
  },
  remove: (stateDir) => {
    for (const name of readdirSync(stateDir).filter(isAccountFile)) rmSync(join(stateDir, name), { force: true });
  },
};

/** Shows a limit notification on the desktop, or on the terminal if the desktop has no notifications. */
export function createLimitNotices({
  allowed,
  drivers,
  print,
}: Pick<AgentContext, 'allowed' | 'drivers' | 'print'>): Pick<StartedAgentTool, 'commands'> {
  return {
    commands: [
      handleCommand(limitNotice, async ({ title, text }) => {
        if (!allowed.notifications)
          throw new Refusal(
            'device.feature_off',
            'Turned off on that computer. Its agent was started with --no-notifications',
          );
        if (drivers.notifications.ability.able) await drivers.notifications.show(title, text);
        else print(`${title}: ${text}`);
      }),
    ],
  };
}

export { setActivityWatch } from './activitywatch/activityWatch.ts';
export { setPrivacy } from './privacy.ts';

/** Combines several started tools into one. */
const combineTools = (tools: readonly StartedAgentTool[]): StartedAgentTool => ({
  commands: tools.flatMap(({ commands = [] }) => commands),
  events: tools.flatMap(({ events = [] }) => events),
  subcommands: tools.flatMap(({ subcommands = [] }) => subcommands),
  status: () => tools.flatMap(({ status }) => status?.() ?? []),
  stop: async () => {
    await Promise.all(tools.map(async ({ stop }) => stop?.()));
  },
});

/** Creates the agent half with other timing, for tests. */
export function createScreentime(
  options: Omit<MeasuringOptions, 'hints'>,
  activityWatchOptions: ActivityWatchOptions = {},
): AgentTool {
  return {
    name: 'screentime',
    accountData: screentimeAccountData,
    start: (context) => {
      const activityWatch = startActivityWatch(context, activityWatchOptions);
      const measuring = startMeasuring(context, { ...options, hints: activityWatch.hints });
      return combineTools([measuring, startHotkeys(context), createLimitNotices(context), activityWatch]);
    },
  };
}

/** The agent half of screen time: usage, hotkeys, limit notifications, and watchers of ActivityWatch. */
export const screentime: AgentTool = createScreentime({});
