import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { mixerPage } from '../page.ts';

const notBuilt = () => import('#platform/web/ui/NotBuiltPage.tsx');

export const mixer: WebTool = {
  pages: [{ ...mixerPage, icon: IconAdjustmentsHorizontal, load: notBuilt }],
};
