import { IconCalendar, IconCalendarEvent } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { calendarPage, calendarV2Page } from '../page.ts';

export const calendar: WebTool = {
  pages: [
    { ...calendarPage, icon: IconCalendar, load: () => import('./CalendarPage.tsx') },
    { ...calendarV2Page, icon: IconCalendarEvent, load: () => import('./CalendarV2Page.tsx') },
  ],
};
