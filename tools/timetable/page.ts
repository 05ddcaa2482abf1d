import type { Page } from '#platform/contract/page.ts';

export const timetablePage: Page = {
  path: '/timetable',
  title: 'Timetable',
  needsLogin: true,
  key: 't',
  card: { group: 'High Effort Projects', title: 'Timetable', description: 'Plan your week in slots with a status' },
};
