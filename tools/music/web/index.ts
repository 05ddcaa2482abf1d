import { IconMusic } from '@tabler/icons-react';
import { browserStorage } from '#platform/web/remember.ts';
import type { WebTool } from '#platform/web/tool.ts';
import { musicPage } from '../page.ts';
import { QUEUE_KEY } from './player/queueKey.ts';

export const music: WebTool = {
  pages: [{ ...musicPage, icon: IconMusic, load: () => import('./page/MusicPage.tsx') }],
  resume: async (queries) => {
    if (browserStorage.get(QUEUE_KEY)) await (await import('./player/player.ts')).resume(queries);
  },
};
