import { IconInfoCircle, IconKeyboard, IconPointer } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { aboutPage, dashboardPage, touchpadPage } from '../page.ts';

export const remote: WebTool = {
  pages: [
    { ...dashboardPage, icon: IconKeyboard, load: () => import('./typing/DashboardPage.tsx') },
    { ...touchpadPage, icon: IconPointer, load: () => import('./pointer/TouchpadPage.tsx') },
    { ...aboutPage, icon: IconInfoCircle, load: () => import('./AboutPage.tsx') },
  ],
  settings: [{ tab: 'scripts', id: 'scripts', load: () => import('./scripts/ScriptsPanel.tsx') }],
};
