import { IconVideo } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { galleryPage } from '../page.ts';

export const gallery: WebTool = {
  pages: [{ ...galleryPage, icon: IconVideo, load: () => import('./GalleryPage.tsx') }],
  commands: async () => ({ default: (await import('./RecordCommands.tsx')).RecordCommands }),
};
