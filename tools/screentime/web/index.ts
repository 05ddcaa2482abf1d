import { IconCategory2, IconChartBar, IconChartLine } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { categoriesPage, graphsPage, screenTimePage } from '../page.ts';

const notBuilt = () => import('#platform/web/ui/NotBuiltPage.tsx');

export const screenTime: WebTool = {
  pages: [
    { ...screenTimePage, icon: IconChartBar, load: notBuilt },
    { ...graphsPage, icon: IconChartLine, load: notBuilt },
    { ...categoriesPage, icon: IconCategory2, load: notBuilt },
  ],
};
