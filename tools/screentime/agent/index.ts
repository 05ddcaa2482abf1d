import type { StartedAgentTool, AgentTool } from '#platform/agent/tool.ts';
import { screentimeKeep } from './accountKeep.ts';
import { type ActivityWatchOptions, startActivityWatch } from './activitywatch/activityWatch.ts';
import { startHotkeys } from './hotkeys.ts';
import { type MeasuringOptions, startMeasuring } from './measuring.ts';
import { noticeLimits } from './notice.ts';

export { setActivityWatch } from './activitywatch/activityWatch.ts';
export { setPrivacy } from './privacy.ts';

/** Several parts of one tool as one. */
const together = (parts: readonly StartedAgentTool[]): StartedAgentTool => ({
  commands: parts.flatMap(({ commands = [] }) => commands),
  events: parts.flatMap(({ events = [] }) => events),
  words: parts.flatMap(({ words = [] }) => words),
  status: () => parts.flatMap(({ status }) => status?.() ?? []),
  stop: async () => {
    await Promise.all(parts.map(async ({ stop }) => stop?.()));
  },
});

/** Tests go faster than people. */
export const screentimeWith = (
  options: Omit<MeasuringOptions, 'hints'>,
  activityWatchOptions: ActivityWatchOptions = {},
): AgentTool => ({
  name: 'screentime',
  keep: screentimeKeep,
  start: (ground) => {
    const activityWatch = startActivityWatch(ground, activityWatchOptions);
    const measuring = startMeasuring(ground, { ...options, hints: activityWatch.hints });
    return together([measuring, startHotkeys(ground), noticeLimits(ground), activityWatch]);
  },
});

/** Screen time on the computer itself: what is used, hotkeys, notices of limits, and what watchers of ActivityWatch see. */
export const screentime: AgentTool = screentimeWith({});
