import { IconFeather } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { birdsPage } from '../page.ts';

export const birds: WebTool = {
  pages: [{ ...birdsPage, icon: IconFeather, load: () => import('./BirdsPage.tsx') }],
};
