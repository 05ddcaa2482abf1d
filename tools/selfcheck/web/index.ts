import { IconChecklist } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { selfcheckPage } from '../page.ts';

export const selfcheck: WebTool = {
  pages: [{ ...selfcheckPage, icon: IconChecklist, load: () => import('./SelfcheckPage.tsx') }],
};
