import { IconMoon } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { statusPage } from '../page.ts';

export const chatStatus: WebTool = {
  pages: [{ ...statusPage, icon: IconMoon, load: () => import('./StatusPage.tsx') }],
};
