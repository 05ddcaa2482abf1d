import { IconMail, IconMessageCircle } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { messageFormPage, messagesPage } from '../page.ts';

const notBuilt = () => import('#platform/web/ui/NotBuiltPage.tsx');

export const messages: WebTool = {
  pages: [
    { ...messagesPage, icon: IconMessageCircle, load: notBuilt },
    { ...messageFormPage, icon: IconMail, load: () => import('./SpMessagePage.tsx') },
  ],
};
