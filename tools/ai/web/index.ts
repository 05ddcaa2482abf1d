import { IconSparkles } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { promptPage } from '../page.ts';

export const ai: WebTool = {
  pages: [{ ...promptPage, icon: IconSparkles, load: () => import('./PromptPage.tsx') }],
};
