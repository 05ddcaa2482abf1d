import { IconVideo } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { galleryPage } from '../page.ts';

const notBuilt = () => import('#platform/web/ui/NotBuiltPage.tsx');

export const gallery: WebTool = {
  pages: [{ ...galleryPage, icon: IconVideo, load: notBuilt }],
};
