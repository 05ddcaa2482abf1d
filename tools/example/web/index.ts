import { IconNotes } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { examplePage } from '../page.ts';

export const example: WebTool = {
  pages: [{ ...examplePage, icon: IconNotes, load: () => import('./ExamplePage.tsx') }],
};
