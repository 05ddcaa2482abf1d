import { listen, type Listener } from '#platform/server/tool.ts';
import { audioReport, audioset } from '../contract.ts';
import type { Mixer } from './mixer.ts';

export const events = (mixer: Mixer): readonly Listener[] => [
  listen(audioset, async ({ audio, outputs = {}, target }, { account }) => {
    mixer.set(await mixer.chosen(account, target), { sessions: audio, outputs });
    return {};
  }),
  listen(audioReport, async ({ isWhole, sessions, outputs, gone }, { account, device }) => {
    const changed = { sessions: new Map(Object.entries(sessions)), outputs: new Map(Object.entries(outputs)) };
    mixer.report({ account, device }, { changed, gone }, isWhole);
    return {};
  }),
];
