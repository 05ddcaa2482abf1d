import type { AgentParts, AgentTool } from '#platform/agent/tool.ts';
import { startActivityWatch } from './activitywatch.ts';
import { startHotkeys } from './hotkeys.ts';
import { noticeLimits } from './notice.ts';

export { setActivityWatch } from './activitywatch.ts';

/** Several parts of one tool as one. */
const together = (parts: readonly AgentParts[]): AgentParts => ({
  commands: parts.flatMap(({ commands = [] }) => commands),
  events: parts.flatMap(({ events = [] }) => events),
  words: parts.flatMap(({ words = [] }) => words),
  status: () => parts.flatMap(({ status }) => status?.() ?? []),
  stop: async () => {
    await Promise.all(parts.map(async ({ stop }) => stop?.()));
  },
});

/** Screen time on the computer itself: hotkeys, notices of limits, and what watchers of ActivityWatch see. */
export const screentime: AgentTool = {
  name: 'screentime',
  start: (ground) => together([startHotkeys(ground), noticeLimits(ground), startActivityWatch(ground)]),
};
