import { IconLogin, IconUserPlus } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { loginPage, signupPage } from '../page.ts';
import { settings } from './settingsIndex.ts';

export const accounts: WebTool = {
  ...settings,
  pages: [
    { ...signupPage, icon: IconUserPlus, load: () => import('./SignupPage.tsx') },
    { ...loginPage, icon: IconLogin, load: () => import('./LoginPage.tsx') },
    ...settings.pages,
  ],
};
