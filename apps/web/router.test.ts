import { QueryClient } from '@tanstack/react-query';
import { beforeEach, expect, test, vi } from 'vitest';
import type { WebPage } from '#platform/web/tool.ts';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';
import { webTools } from './tools.ts';

beforeEach(() => void vi.stubGlobal('location', { pathname: '/' }));

test('a page requests its first data before it is rendered', async () => {
  const { createRouter } = await loadWithWindow(() => import('./router.tsx'));
  const prefetch = vi.fn();
  const page: WebPage = {
    path: '/notes',
    title: 'Notes',
    needsLogin: false,
    frame: 'bare',
    icon: () => null,
    load: async () => ({ default: () => null, prefetch }),
  };
  const queryClient = new QueryClient();
  await createRouter([page], queryClient).prepare('/notes');
  expect(prefetch).toHaveBeenCalledExactlyOnceWith(queryClient);
});

test('the music page prefetches its library', async () => {
  const page = webTools.flatMap(({ pages }) => pages).find(({ path }) => path === '/musicmusic');
  expect(await loadWithWindow(async () => (await page?.load())?.prefetch)).toBeTypeOf('function');
});
