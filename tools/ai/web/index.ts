import { IconSparkles } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { promptPage } from '../page.ts';

const notBuilt = () => import('#platform/web/ui/NotBuiltPage.tsx');

export const ai: WebTool = {
  pages: [{ ...promptPage, icon: IconSparkles, load: notBuilt }],
};
