import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';

const { FreshQueryClient, createQueryClient: createFirstQueryClient } = await loadWithWindow(
  () => import('./queryClient.ts'),
);

const KEY = ['list'] as const;

/** Creates a query whose answers the test sends in any order. */
function createPendingQuery() {
  const queryClient = new FreshQueryClient();
  const requests: ((answer: string) => void)[] = [];
  const options = {
    queryKey: KEY,
    staleTime: Infinity,
    queryFn: () => new Promise<string>((resolve) => requests.push(resolve)),
  };
  const getShown = () => queryClient.getQueryData<string>(KEY);
  function openPage(): () => void {
    const stop = new QueryObserver(queryClient, options).subscribe(() => undefined);
    onTestFinished(stop);
    return stop;
  }
  return { queryClient, requests, getShown, openPage };
}

test('an invalidation during the first fetch causes one refetch, and the first answer is shown meanwhile', async () => {
  const { queryClient, requests, getShown, openPage } = createPendingQuery();
  openPage();
  const invalidations = [1, 2, 3].map(() => queryClient.invalidateQueries({ queryKey: KEY }));
  requests[0]?.('before');
  await expect.poll(() => requests.length).toBe(2);
  expect(getShown()).toBe('before');
  requests[1]?.('after');
  await Promise.all(invalidations);
  expect(getShown()).toBe('after');
  expect(requests).toHaveLength(2);
});

test('an answer that was invalidated after its page closed does not count as fresh', async () => {
  const { queryClient, requests, getShown, openPage } = createPendingQuery();
  const unsubscribe = openPage();
  unsubscribe();
  // No page waits for the answer.
  await queryClient.invalidateQueries({ queryKey: KEY });
  requests[0]?.('before');
  await expect.poll(getShown).toBe('before');
  openPage();
  await expect.poll(() => requests.length).toBe(2);
});

test('a later fetch is replaced by a newer one', async () => {
  const { queryClient, requests, getShown, openPage } = createPendingQuery();
  openPage();
  requests[0]?.('first');
  await expect.poll(getShown).toBe('first');
  const older = queryClient.invalidateQueries({ queryKey: KEY });
  const newer = queryClient.invalidateQueries({ queryKey: KEY });
  requests[1]?.('old');
  requests[2]?.('new');
  await Promise.all([older, newer]);
  expect(getShown()).toBe('new');
  expect(requests).toHaveLength(3);
});

test('a query that is removed during its first fetch is not fetched again', async () => {
  const { queryClient, openPage } = createPendingQuery();
  openPage();
  const invalidation = queryClient.invalidateQueries({ queryKey: KEY });
  queryClient.clear();
  await invalidation;
  expect(queryClient.getQueryCache().getAll()).toEqual([]);
});

/** Opens a page with one query while the server is unreachable. */
async function openPageOffline(status?: number) {
  const { CallError, createUnreachableError } = await import('#platform/contract/client.ts');
  const { createQueryClient } = await import('./queryClient.ts');
  const { reachability } = await import('./reachability.ts');
  const server = { isUp: false, requestCount: 0 };
  const queryClient = createQueryClient();
  async function queryFn(): Promise<string> {
    server.requestCount += 1;
    reachability.set(server.isUp);
    if (!server.isUp) throw status === undefined ? createUnreachableError() : new CallError(status, 'down');
    return 'answer';
  }
  const observer = new QueryObserver(queryClient, { queryKey: ['thing'], queryFn, retry: false });
  onTestFinished(observer.subscribe(() => undefined));
  await vi.advanceTimersByTimeAsync(0);
  return { server, reachability: reachability, getShown: () => observer.getCurrentResult().data };
}

describe('while the server is unreachable', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('window', Object.assign(new EventTarget(), { location: {} }));
    vi.stubGlobal('document', { cookie: '' });
    vi.stubGlobal('fetch', () => Promise.resolve({ ok: true }));
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
    vi.resetModules();
  });

  test.each([undefined, 502, 503])(
    'a query that failed with status %s is fetched again once the server is back',
    async (status) => {
      const { server, reachability, getShown } = await openPageOffline(status);
      server.isUp = true;
      reachability.set(true);
      await vi.advanceTimersByTimeAsync(0);
      expect(getShown()).toBe('answer');
    },
  );

  test('a query is fetched again after the server was unstable during a restart', async () => {
    const { server, reachability, getShown } = await openPageOffline();
    reachability.set(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(server.requestCount).toBe(2);
    server.isUp = true;
    reachability.set(true);
    await vi.advanceTimersByTimeAsync(9000);
    expect([server.requestCount, getShown()]).toEqual([2, undefined]);
    await vi.advanceTimersByTimeAsync(1000);
    expect([server.requestCount, getShown()]).toEqual([3, 'answer']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.requestCount).toBe(3);
  });

  test('a call that fails although the server is reachable is repeated at most every ten seconds', async () => {
    const { server } = await openPageOffline();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.requestCount).toBeGreaterThan(2);
    expect(server.requestCount).toBeLessThanOrEqual(7);
  });
});

test('data that no page showed for a moment is loaded again, as its events were not heard', async () => {
  const queryClient = createFirstQueryClient();
  let requestCount = 0;
  const options = { queryKey: KEY, queryFn: async () => ++requestCount };
  function openPage(): () => void {
    const stop = new QueryObserver(queryClient, options).subscribe(() => undefined);
    onTestFinished(stop);
    return stop;
  }
  const closeFirst = openPage();
  await expect.poll(() => queryClient.getQueryData(KEY)).toBe(1);
  const closeSecond = openPage();
  closeFirst();
  const closeThird = openPage();
  expect(requestCount).toBe(1);
  closeSecond();
  closeThird();
  openPage();
  await expect.poll(() => queryClient.getQueryData(KEY)).toBe(2);
});
