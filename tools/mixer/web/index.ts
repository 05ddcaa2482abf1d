import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { mixerPage } from '../page.ts';

export const mixer: WebTool = {
  pages: [{ ...mixerPage, icon: IconAdjustmentsHorizontal, load: () => import('./MixerPage.tsx') }],
};
