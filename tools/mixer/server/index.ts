import { type ServerTool, handle, type Handler, listen, type Listener } from '#platform/server/tool.ts';
import { mixerargs, audioReport, audioset, setLevels, setvolumefront } from '../contract.ts';
import { createMixer, type Mixer } from './mixer.ts';

export function createMixerHandlers(mixer: Mixer): readonly Handler[] {
  return [
    handle(mixerargs, async ({ target }, { account }) => {
      const device = await mixer.getSelectedDevice(account, target);
      const { sessions, outputs } = mixer.getLevels(device);
      return { data: Object.fromEntries(sessions), outputs: Object.fromEntries(outputs), target: String(device.id) };
    }),
  ];
}

export function createMixerListeners(mixer: Mixer): readonly Listener[] {
  return [
    listen(audioset, async ({ audio, outputs = {}, target }, { account }) => {
      mixer.set(await mixer.getSelectedDevice(account, target), { sessions: audio, outputs });
    }),
    listen(audioReport, async ({ isWhole, sessions, outputs, gone }, { account, device }) => {
      const changed = { sessions: new Map(Object.entries(sessions)), outputs: new Map(Object.entries(outputs)) };
      mixer.report({ account, device }, { changed, gone }, isWhole);
    }),
  ];
}

/** Stores nothing: the levels of a computer are in memory while it is connected. */
export const mixer: ServerTool = {
  name: 'mixer',
  services: ['realtime', 'devices', 'cluster'],
  migrations: [],
  start: (context) => {
    const mixerService = createMixer(context);
    return {
      calls: createMixerHandlers(mixerService),
      events: createMixerListeners(mixerService),
      newestEvents: [setLevels, setvolumefront],
    };
  },
};
