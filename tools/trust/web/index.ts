import { IconLock } from '@tabler/icons-react';
import type { WebTool } from '#platform/web/tool.ts';
import { trustPage } from '../page.ts';

export const trust: WebTool = { pages: [{ ...trustPage, icon: IconLock, load: () => import('./TrustPage.tsx') }] };
