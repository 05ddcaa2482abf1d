import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', Object.assign(new EventTarget(), { location: {} }));
  vi.stubGlobal('document', { cookie: '' });
  vi.stubGlobal('fetch', () => Promise.resolve());
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.resetModules();
});

/** Opens a page with one query while the server is unreachable. */
const openPage = async () => {
  const { createUnreachableError } = await import('#platform/contract/client.ts');
  const { createQueryClient } = await import('./queryClient.ts');
  const { reachability } = await import('./reachability.ts');
  const server = { isThere: false, asked: 0 };
  const queries = createQueryClient();
  const queryFn = async (): Promise<string> => {
    server.asked += 1;
    reachability.set(server.isThere);
    if (!server.isThere) throw createUnreachableError();
    return 'answer';
  };
  const observer = new QueryObserver(queries, { queryKey: ['thing'], queryFn, retry: false });
  onTestFinished(observer.subscribe(() => undefined));
  await vi.advanceTimersByTimeAsync(0);
  return { server, reach: reachability, shown: () => observer.getCurrentResult().data };
};

test('a failed query is fetched again once the server is back', async () => {
  const { server, reach, shown } = await openPage();
  server.isThere = true;
  reach.set(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(shown()).toBe('answer');
});

test('a query is fetched again after the server was unstable during a restart', async () => {
  const { server, reach, shown } = await openPage();
  reach.set(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(server.asked).toBe(2);
  server.isThere = true;
  reach.set(true);
  await vi.advanceTimersByTimeAsync(9000);
  expect([server.asked, shown()]).toEqual([2, undefined]);
  await vi.advanceTimersByTimeAsync(1000);
  expect([server.asked, shown()]).toEqual([3, 'answer']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(server.asked).toBe(3);
});

test('a call that fails although the server is reachable is repeated at most every ten seconds', async () => {
  const { server } = await openPage();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(server.asked).toBeGreaterThan(2);
  expect(server.asked).toBeLessThanOrEqual(7);
});
