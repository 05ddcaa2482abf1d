import { IconLogin, IconUserPlus, IconSettings } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { loginPage, signupPage, settingsPage } from '../page.ts';

/** The settings page with the account panel. */
export const settings: WebTool = {
  pages: [{ ...settingsPage, icon: IconSettings, load: () => import('./settings/SettingsPage.tsx') }],
  settings: [{ tab: 'account', id: 'account', load: () => import('./settings/AccountPanel.tsx') }],
};

export const accounts: WebTool = {
  ...settings,
  pages: [
    { ...signupPage, icon: IconUserPlus, load: () => import('./SignupPage.tsx') },
    { ...loginPage, icon: IconLogin, load: () => import('./LoginPage.tsx') },
    ...settings.pages,
  ],
};
