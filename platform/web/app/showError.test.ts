import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryStorage } from '#testing/kits/browser/memoryStorage.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', Object.assign(new EventTarget(), { localStorage: new MemoryStorage() }));
  vi.stubGlobal('document', { cookie: '' });
  vi.stubGlobal('location', { protocol: 'https:' });
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.resetModules();
});

async function loadModules() {
  vi.resetModules();
  const { CallError, createUnreachableError } = await import('#platform/contract/client.ts');
  const { showError, showRepeatingError } = await import('./showError.ts');
  const { notices } = await import('./notices.ts');
  const { reachability } = await import('./reachability.ts');
  const listTexts = (): readonly string[] => notices.getShown().map(({ text }) => text);
  return {
    CallError,
    createUnreachableError,
    showError,
    showRepeatingError,
    reachability,
    listTexts,
  };
}

test('notices about an unreachable server disappear on reconnection, and others stay', async () => {
  const { CallError, createUnreachableError, showError, reachability, listTexts } = await loadModules();
  reachability.set(false);
  showError(createUnreachableError());
  showError(new CallError(0, 'The download was incomplete. Try again'));
  showError(new CallError(500, 'server error'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(listTexts()).toHaveLength(3);
  reachability.set(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(listTexts()).toEqual(['server error', 'The download was incomplete. Try again']);
});

test('the notice of a short interruption stays long enough to be read', async () => {
  const { createUnreachableError, showError, reachability, listTexts } = await loadModules();
  reachability.set(false);
  showError(createUnreachableError());
  reachability.set(true);
  await vi.advanceTimersByTimeAsync(900);
  expect(listTexts()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(listTexts()).toEqual([]);
});

test('a request that fails while the server is reachable shows a normal notice', async () => {
  const { createUnreachableError, showError, reachability, listTexts } = await loadModules();
  showError(createUnreachableError());
  reachability.set(false);
  reachability.set(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(listTexts()).toHaveLength(1);
});

test('a repeated error has one notice, which can be dismissed', async () => {
  const { showRepeatingError, listTexts } = await loadModules();
  showRepeatingError(new Error('The computer is off'));
  const dismiss = showRepeatingError(new Error('The computer is off'));
  expect(listTexts()).toEqual(['The computer is off']);
  dismiss();
  expect(listTexts()).toEqual([]);
});

test('an unreachable server is probed every second', async () => {
  const { reachability } = await loadModules();
  let fetchCount = 0;
  vi.stubGlobal('fetch', () => {
    fetchCount += 1;
    return fetchCount < 4 ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve({ ok: true });
  });
  reachability.set(false);
  await vi.advanceTimersByTimeAsync(3000);
  expect(fetchCount).toBe(1);
  await vi.advanceTimersByTimeAsync(2000);
  expect([fetchCount, reachability.isReachable()]).toEqual([3, false]);
  await vi.advanceTimersByTimeAsync(1000);
  expect([fetchCount, reachability.isReachable()]).toEqual([4, true]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetchCount).toBe(4);
});

test('a server that answers without its database is unreachable until it is ready', async () => {
  const { reachability } = await loadModules();
  const answers = [{ ok: false }, { ok: true }];
  const paths: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    paths.push(path);
    return answers.shift();
  });
  reachability.set(false, '/readyz');
  await vi.advanceTimersByTimeAsync(3000);
  expect(reachability.isReachable()).toBe(false);
  await vi.advanceTimersByTimeAsync(1000);
  expect([reachability.isReachable(), ...paths]).toEqual([true, '/readyz', '/readyz']);
});

test('network events start no second series of probes', async () => {
  const { reachability } = await loadModules();
  const fetchMock = vi.fn(
    () => new Promise((_, reject) => void setTimeout(() => reject(new TypeError('Failed to fetch')), 300)),
  );
  vi.stubGlobal('fetch', fetchMock);
  reachability.set(false);
  for (let event = 0; event < 3; event += 1) {
    window.dispatchEvent(new Event('offline'));
    await vi.advanceTimersByTimeAsync(100);
  }
  // Other calls fail meanwhile, also during a probe.
  for (let call = 0; call < 20; call += 1) {
    reachability.set(false);
    await vi.advanceTimersByTimeAsync(170);
  }
  fetchMock.mockClear();
  await vi.advanceTimersByTimeAsync(13_000);
  expect(fetchMock.mock.calls).toHaveLength(10);
});

test('a successful older probe counts', async () => {
  const { reachability } = await loadModules();
  const answers: ((answer: { readonly ok: boolean }) => void)[] = [];
  vi.stubGlobal('fetch', () => new Promise((resolve) => answers.push(resolve)));
  reachability.set(false);
  window.dispatchEvent(new Event('offline'));
  window.dispatchEvent(new Event('online'));
  answers[0]?.({ ok: true });
  await vi.advanceTimersByTimeAsync(0);
  expect(reachability.isReachable()).toBe(true);
});
