import { IconShoppingCart } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { plannerPage } from '../page.ts';

export const shopping: WebTool = {
  pages: [
    {
      ...plannerPage,
      icon: IconShoppingCart,
      load: async () => {
        const [page] = await Promise.all([
          import('../lists/web/PlannerPage.tsx'),
          import('../lists/web/preloadList.ts').then(({ preloadList }) => preloadList()),
        ]);
        return page;
      },
    },
  ],
};
