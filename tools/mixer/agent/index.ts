import type { AudioDriver, AudioGroup } from '#platform/agent/drivers/drivers.ts';
import { handleEvent, type AgentTool } from '#platform/agent/tool.ts';
import type { EventDataOf } from '#platform/contract/event.ts';
import { setLevels } from '../contract.ts';
import { createReporter } from './audioReporter.ts';

type LevelRequest = EventDataOf<typeof setLevels>;
type Level = LevelRequest['sessions'][string];

/** Sets what is wished for. One round is under way at a time; of what is wished meanwhile the newest of each name is set in the next. */
export function createSetter(
  audio: AudioDriver,
  say: (line: string) => void,
): { readonly set: (wish: LevelRequest) => void } {
  const wished: Readonly<Record<AudioGroup, Map<string, Level>>> = { sessions: new Map(), outputs: new Map() };
  let isBusy = false;

  const setGroup = async (group: AudioGroup): Promise<void> => {
    const round = [...wished[group]];
    wished[group].clear();
    await Promise.all(round.map(([name, to]) => audio.set(group, name, to)));
  };
  const work = async (): Promise<void> => {
    while (wished.sessions.size + wished.outputs.size > 0)
      await Promise.all([setGroup('sessions'), setGroup('outputs')]);
  };
  return {
    set: ({ sessions, outputs }) => {
      for (const [name, to] of Object.entries(sessions)) wished.sessions.set(name, to);
      for (const [name, to] of Object.entries(outputs)) wished.outputs.set(name, to);
      if (isBusy) return;
      isBusy = true;
      work()
        .catch((error: unknown) => say(`A volume could not be set: ${String(error)}`))
        .finally(() => {
          isBusy = false;
        });
    },
  };
}

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
