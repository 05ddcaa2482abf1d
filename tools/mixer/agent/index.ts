import type { AudioDriver, AudioGroup } from '#platform/agent/drivers/drivers.ts';
import { handleEvent, type AgentTool } from '#platform/agent/tool.ts';
import type { EventDataOf } from '#platform/contract/event.ts';
import { setLevels } from '../contract.ts';
import { createReporter } from './audioReporter.ts';

type LevelRequest = EventDataOf<typeof setLevels>;
type Level = LevelRequest['sessions'][string];

/** Sets levels. One round runs at a time; of changes in the meantime, the next round sets the newest per name. */
export function createSetter(
  audio: AudioDriver,
  printLine: (line: string) => void,
): { readonly set: (request: LevelRequest) => void } {
  const pending: Readonly<Record<AudioGroup, Map<string, Level>>> = { sessions: new Map(), outputs: new Map() };
  let isBusy = false;

  const setGroup = async (group: AudioGroup): Promise<void> => {
    const round = [...pending[group]];
    pending[group].clear();
    await Promise.all(round.map(([name, to]) => audio.set(group, name, to)));
  };
  const work = async (): Promise<void> => {
    while (pending.sessions.size + pending.outputs.size > 0)
      await Promise.all([setGroup('sessions'), setGroup('outputs')]);
  };
  return {
    set: ({ sessions, outputs }) => {
      for (const [name, to] of Object.entries(sessions)) pending.sessions.set(name, to);
      for (const [name, to] of Object.entries(outputs)) pending.outputs.set(name, to);
      if (isBusy) return;
      isBusy = true;
      work()
        .catch((error: unknown) => printLine(`Could not set a volume: ${String(error)}`))
        .finally(() => {
          isBusy = false;
        });
    },
  };
}

export const mixer: AgentTool = {
  name: 'mixer',
  start: (context) => {
    const { allowed, drivers, print } = context;
    // If the owner has switched sound off, it is neither read nor set; the server knows that from the abilities.
    if (!allowed.sound) return {};
    const reporter = createReporter(context);
    const setter = createSetter(drivers.audio, print);
    return { events: [handleEvent(setLevels, setter.set)], stop: async () => reporter.stop() };
  },
};
