import { IconClock, IconPictureInPicture } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { timerHelpPage, timerPage } from '../page.ts';

const notBuilt = () => import('#platform/web/ui/NotBuiltPage.tsx');

export const timer: WebTool = {
  pages: [
    { ...timerPage, icon: IconClock, load: notBuilt },
    { ...timerHelpPage, icon: IconPictureInPicture, load: notBuilt },
  ],
};
