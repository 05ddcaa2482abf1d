import { IconTableColumn } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { timetablePage } from '../page.ts';

const notBuilt = () => import('#platform/web/ui/NotBuiltPage.tsx');

export const timetable: WebTool = {
  pages: [{ ...timetablePage, icon: IconTableColumn, load: notBuilt }],
};
