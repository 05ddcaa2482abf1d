import type { Page } from '#platform/contract/page.ts';

export const messagesPage: Page = {
  path: '/messages',
  title: 'messages',
  needsLogin: true,
  keepsChanges: true,
  card: {
    group: 'Low Effort Projects',
    title: 'Messages',
    description: 'Send short messages between your devices',
  },
};

export const messageFormPage: Page = { path: '/spmessage', title: 'Message form', needsLogin: false };
