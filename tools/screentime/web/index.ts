import { IconCategory2, IconChartBar, IconChartLine } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { categoriesPage, graphsPage, screenTimePage } from '../page.ts';

export const screenTime: WebTool = {
  pages: [
    { ...screenTimePage, icon: IconChartBar, load: () => import('./ScreenTimePage.tsx') },
    { ...graphsPage, icon: IconChartLine, load: () => import('../reading/web/graphy/GraphyPage.tsx') },
    { ...categoriesPage, icon: IconCategory2, load: () => import('../sorting/web/CategoriesPage.tsx') },
  ],
  settings: [{ tab: 'devices', id: 'usage', load: () => import('../usage/web/UsagePanel.tsx') }],
  loadActivitySource: async () => (await import('./activitySource.ts')).screenTimeActivities,
};
