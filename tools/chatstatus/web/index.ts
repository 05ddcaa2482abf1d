import { IconMoon } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { statusPage } from '../page.ts';

const notBuilt = () => import('#platform/web/ui/NotBuiltPage.tsx');

export const chatStatus: WebTool = {
  pages: [{ ...statusPage, icon: IconMoon, load: notBuilt }],
};
