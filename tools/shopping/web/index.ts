import { IconShoppingCart } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { plannerPage } from '../page.ts';

const notBuilt = () => import('#platform/web/ui/NotBuiltPage.tsx');

export const shopping: WebTool = {
  pages: [{ ...plannerPage, icon: IconShoppingCart, load: notBuilt }],
};
