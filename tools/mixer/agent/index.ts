import { handleEvent, type AgentTool } from '#platform/agent/tool.ts';
import { setLevels } from '../contract.ts';
import { createReporter } from './audioReporter.ts';
import { createSetter } from './setter.ts';

export const mixer: AgentTool = {
  name: 'mixer',
  start: (ground) => {
    const { allowed, drivers, print } = ground;
    // What its owner switched off is neither heard nor set; the server knows it from the abilities.
    if (!allowed.sound) return {};
    const reporter = createReporter(ground);
    const setter = createSetter(drivers.audio, print);
    return { events: [handleEvent(setLevels, setter.set)], stop: async () => reporter.stop() };
  },
};
