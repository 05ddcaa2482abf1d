import type { ServerTool } from '#platform/server/tool.ts';
import { calls } from './calls.ts';
import { events } from './events.ts';
import { createMixer } from './mixer.ts';

/** Keeps nothing: what a computer sounds like is in memory while it is connected. */
export const mixer: ServerTool = {
  name: 'mixer',
  migrations: [],
  start: (ground) => {
    const sounds = createMixer(ground);
    return { calls: calls(sounds), events: events(sounds) };
  },
};
