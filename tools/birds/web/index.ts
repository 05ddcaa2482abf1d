import { IconFeather } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { birdsPage } from '../page.ts';

const notBuilt = () => import('#platform/web/ui/NotBuiltPage.tsx');

export const birds: WebTool = {
  pages: [{ ...birdsPage, icon: IconFeather, load: notBuilt }],
};
