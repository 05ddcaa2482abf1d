import { IconCalendar, IconCalendarEvent } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { calendarPage, calendarV2Page } from '../page.ts';

const notBuilt = () => import('#platform/web/ui/NotBuiltPage.tsx');

export const calendar: WebTool = {
  pages: [
    { ...calendarPage, icon: IconCalendar, load: notBuilt },
    { ...calendarV2Page, icon: IconCalendarEvent, load: notBuilt },
  ],
};
