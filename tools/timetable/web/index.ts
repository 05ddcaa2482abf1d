import { IconTableColumn } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { timetablePage } from '../page.ts';

export const timetable: WebTool = {
  pages: [{ ...timetablePage, icon: IconTableColumn, load: () => import('./TimetablePage.tsx') }],
};
