import { IconMusic } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { musicPage } from '../page.ts';

const notBuilt = () => import('#platform/web/ui/NotBuiltPage.tsx');

export const music: WebTool = {
  pages: [{ ...musicPage, icon: IconMusic, load: notBuilt }],
};
