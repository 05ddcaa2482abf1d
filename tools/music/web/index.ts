import { IconMusic } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { musicPage } from '../page.ts';

export const music: WebTool = {
  pages: [{ ...musicPage, icon: IconMusic, load: () => import('./page/MusicPage.tsx') }],
};
