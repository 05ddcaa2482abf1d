import { IconClock, IconPictureInPicture } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { timerHelpPage, timerPage } from '../page.ts';

export const timer: WebTool = {
  pages: [
    { ...timerPage, icon: IconClock, load: () => import('./TimerPage.tsx') },
    { ...timerHelpPage, icon: IconPictureInPicture, load: () => import('./TimerHelpPage.tsx') },
  ],
};
