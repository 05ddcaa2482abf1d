import { IconMusic } from '@tabler/icons-react';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import type { WebTool } from '#platform/web/tool.ts';
import { musicPage } from '../page.ts';
import { QUEUE_KEY } from '../player/web/queueKey.ts';

export const music: WebTool = {
  pages: [{ ...musicPage, icon: IconMusic, load: () => import('../library/web/MusicPage.tsx') }],
  resume: async (queryClient) => {
    if (browserStorage.get(QUEUE_KEY)) await (await import('../player/web/player.ts')).resume(queryClient);
  },
};
