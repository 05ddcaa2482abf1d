import { IconSettings } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { settingsPage } from '../page.ts';

/** The settings screen, and the account's own panel on it. */
export const settings: WebTool = {
  pages: [{ ...settingsPage, icon: IconSettings, load: () => import('./settings/SettingsPage.tsx') }],
  settings: [{ tab: 'account', id: 'account', load: () => import('./settings/AccountPanel.tsx') }],
};
