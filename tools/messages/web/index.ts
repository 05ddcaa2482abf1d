import { IconMail, IconMessageCircle } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { messageFormPage, messagesPage } from '../page.ts';

export const messages: WebTool = {
  pages: [
    { ...messagesPage, icon: IconMessageCircle, load: () => import('./MessagesPage.tsx') },
    { ...messageFormPage, icon: IconMail, load: () => import('./SpMessagePage.tsx') },
  ],
};
