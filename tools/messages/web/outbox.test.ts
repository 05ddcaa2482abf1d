import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryStorage } from '#testing/kits/browser/memoryStorage.ts';

let local = new MemoryStorage();

beforeEach(() => {
  local = new MemoryStorage();
  // No user writes in two tabs in the same millisecond.
  let now = 1_800_000_000_000;
  vi.spyOn(Date, 'now').mockImplementation(() => (now += 1));
  vi.stubGlobal('sessionStorage', new MemoryStorage());
  vi.stubGlobal('document', { cookie: 'usertoken=one' });
  vi.stubGlobal('location', { protocol: 'https:' });
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** Opens the messages page of a logged-in user without a connection. All tabs share one storage. */
async function openTab(storage = local) {
  vi.resetModules();
  const page = Object.assign(new EventTarget(), { localStorage: storage });
  vi.stubGlobal('window', page);
  const { session } = await import('#platform/web/app/session.ts');
  const { reachability } = await import('#platform/web/app/reachability.ts');
  const { outbox } = await import('./outbox.ts');
  reachability.set(false);
  session.setUsername('one', 'anna');
  return {
    outbox,
    write: (text: string): void => outbox.add('7', text),
    listTexts: () => outbox.list().map(({ text }) => text),
    session,
    /** Simulates another tab that has stored the current value and had read `oldValue`. */
    storeInOtherTab: (key: string, oldValue: string | null): void => {
      page.dispatchEvent(Object.assign(new Event('storage'), { key, oldValue, newValue: local.getItem(key) }));
    },
  };
}
const findStorageKey = (): string => Object.keys(local).find((key) => key.includes('outbox')) ?? '';
const listStoredTexts = (): readonly string[] =>
  (JSON.parse(local.getItem(findStorageKey()) ?? '[]') as readonly { readonly text: string }[]).map(({ text }) => text);

test('messages that two tabs wrote while offline are both stored', async () => {
  const [first, second] = [await openTab(), await openTab()];
  first.write('from the first');
  second.write('from the second');
  first.write('one more');
  expect(listStoredTexts().toSorted()).toEqual(['from the first', 'from the second', 'one more']);
  const third = await openTab();
  expect(third.listTexts().toSorted()).toEqual(['from the first', 'from the second', 'one more']);
});

test('a message deleted in one tab is not sent by another', async () => {
  const first = await openTab();
  first.write('regretted');
  first.write('wanted');
  const second = await openTab();
  const before = local.getItem(findStorageKey());
  second.outbox.remove(second.outbox.list().filter(({ text }) => text === 'regretted'));
  expect(listStoredTexts()).toEqual(['wanted']);
  first.storeInOtherTab(findStorageKey(), before);
  expect(first.listTexts()).toEqual(['wanted']);
  expect(listStoredTexts()).toEqual(['wanted']);
});

test('a message that another tab never read stays, and is stored again', async () => {
  const first = await openTab();
  first.write('from the first');
  const stale = [{ target: '7', text: 'from the second', timesent: 1, state: 'waiting' }];
  local.setItem(findStorageKey(), JSON.stringify(stale));
  first.storeInOtherTab(findStorageKey(), null);
  expect(first.listTexts()).toEqual(['from the first']);
  expect(listStoredTexts().toSorted()).toEqual(['from the first', 'from the second']);
});

test('a message that could not be stored stays, whatever another tab stores', async () => {
  class FullStorage extends MemoryStorage {
    override getItem(key: string): string | null {
      return local.getItem(key);
    }
    override setItem(): void {
      throw new DOMException('full', 'QuotaExceededError');
    }
  }
  const first = await openTab(new FullStorage());
  first.write('without room');
  const second = await openTab();
  second.write('from the second');
  first.storeInOtherTab(findStorageKey(), null);
  second.outbox.remove(second.outbox.list());
  first.storeInOtherTab(findStorageKey(), JSON.stringify([{ target: '7', text: 'from the second', timesent: 1 }]));
  expect(first.listTexts()).toEqual(['without room']);
  // Another user who logs in meanwhile does not get it.
  first.session.start({ token: 'two', username: 'ben' });
  expect(first.listTexts()).toEqual([]);
  first.session.start({ token: 'three', username: 'anna' });
  expect(first.listTexts()).toEqual(['without room']);
});

test('a message that another tab deleted during another user’s session is not restored', async () => {
  const first = await openTab();
  first.write('regretted');
  first.write('wanted');
  first.session.start({ token: 'two', username: 'ben' });
  const second = await openTab();
  second.outbox.remove(second.outbox.list().filter(({ text }) => text === 'regretted'));
  first.session.start({ token: 'three', username: 'anna' });
  expect(first.listTexts()).toEqual(['wanted']);
});
