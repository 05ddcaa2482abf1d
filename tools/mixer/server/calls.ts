import { handle, type Handler } from '#platform/server/tool.ts';
import { mixerargs } from '../contract.ts';
import type { Mixer } from './mixer.ts';

export const calls = (mixer: Mixer): readonly Handler[] => [
  handle(mixerargs, async ({ target }, { account }) => {
    const device = await mixer.chosen(account, target);
    const { sessions, outputs } = mixer.soundOf(device);
    return { data: Object.fromEntries(sessions), outputs: Object.fromEntries(outputs), target: String(device.id) };
  }),
];
