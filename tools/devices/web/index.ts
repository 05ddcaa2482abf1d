import { IconDeviceDesktopPlus } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { pairPage } from '../page.ts';

export const devices: WebTool = {
  pages: [{ ...pairPage, icon: IconDeviceDesktopPlus, load: () => import('./PairPage.tsx') }],
  settings: [{ tab: 'devices', id: 'devices', load: () => import('./DevicesPanel.tsx') }],
};
