import { receive, type AgentTool } from '#platform/agent/tool.ts';
import { setLevels } from '../contract.ts';
import { makeReporter } from './reporter.ts';
import { makeSetter } from './setter.ts';

export const mixer: AgentTool = {
  name: 'mixer',
  start: (ground) => {
    const { allowed, drivers, say } = ground;
    // What its owner switched off is neither heard nor set; the server knows it from the abilities.
    if (!allowed.sound) return {};
    const reporter = makeReporter(ground);
    const setter = makeSetter(drivers.audio, say);
    return { events: [receive(setLevels, setter.set)], stop: async () => reporter.stop() };
  },
};
