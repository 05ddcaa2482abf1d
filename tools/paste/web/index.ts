import { IconClipboard } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { pastePage } from '../page.ts';

const notBuilt = () => import('#platform/web/ui/NotBuiltPage.tsx');

export const paste: WebTool = {
  pages: [{ ...pastePage, icon: IconClipboard, load: notBuilt }],
};
