import type { Page } from '#platform/contract/page.ts';

export const plannerPage: Page = {
  path: '/shopplanner',
  title: 'Shopping planner',
  needsLogin: true,
  keepsChanges: true,
  key: 's',
  card: {
    group: 'High Effort Projects',
    title: 'Shopping planner',
    description: 'Shared shopping lists with quantities, types and live updates',
  },
};
