import type { AudioDriver, AudioGroup } from '#platform/agent/drivers/drivers.ts';
import { handleEvent, type AgentTool } from '#platform/agent/tool.ts';
import type { EventDataOf } from '#platform/contract/event.ts';
import { setLevels } from '../contract.ts';
import { createAudioReporter } from './audioReporter.ts';

type LevelRequest = EventDataOf<typeof setLevels>;
type LevelSetting = LevelRequest['sessions'][string];

/** Sets levels, one batch at a time. The next batch has the newest level of each name that has changed meanwhile. */
export function createLevelSetter(
  audio: AudioDriver,
  print: (line: string) => void,
): { readonly set: (request: LevelRequest) => void } {
  const pending: Readonly<Record<AudioGroup, Map<string, LevelSetting>>> = { sessions: new Map(), outputs: new Map() };
  let isRunning = false;

  async function setGroup(group: AudioGroup): Promise<void> {
    const batch = [...pending[group]];
    pending[group].clear();
    await Promise.all(batch.map(([name, level]) => audio.set(group, name, level)));
  }
  async function setPending(): Promise<void> {
    while (pending.sessions.size + pending.outputs.size > 0)
      await Promise.all([setGroup('sessions'), setGroup('outputs')]);
  }
  return {
    set: ({ sessions, outputs }) => {
      for (const [name, level] of Object.entries(sessions)) pending.sessions.set(name, level);
      for (const [name, level] of Object.entries(outputs)) pending.outputs.set(name, level);
      if (isRunning) return;
      isRunning = true;
      setPending()
        .catch((error: unknown) => print(`Could not set a volume: ${String(error)}`))
        .finally(() => {
          isRunning = false;
        });
    },
  };
}

export const mixer: AgentTool = {
  name: 'mixer',
  start: (context) => {
    const { allowed, drivers, print } = context;
    // If the owner has turned sound off, the abilities report it to the server.
    if (!allowed.sound) return {};
    const reporter = createAudioReporter(context);
    const setter = createLevelSetter(drivers.audio, print);
    return { events: [handleEvent(setLevels, setter.set)], stop: async () => reporter.stop() };
  },
};
