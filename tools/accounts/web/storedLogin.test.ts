import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryStorage } from '#testing/memoryStorage.ts';

beforeEach(() => {
  vi.resetModules();
  vi.stubGlobal('window', Object.assign(new EventTarget(), { localStorage: new MemoryStorage() }));
  vi.stubGlobal('document', { cookie: 'usertoken=one' });
  vi.stubGlobal('location', { protocol: 'https:' });
});
afterEach(() => vi.unstubAllGlobals());

const load = async () => {
  const { CallFailed } = await import('#platform/contract/client.ts');
  const { InvalidToken, Refusal } = await import('#platform/contract/refusal.ts');
  const { notices } = await import('#platform/web/notices.ts');
  const { session } = await import('#platform/web/session.ts');
  const { showLoginFailure } = await import('./storedLogin.ts');
  const texts = (): readonly string[] => notices.shown().map(({ text }) => text);
  return { CallFailed, InvalidToken, Refusal, session, showLoginFailure, texts };
};

test('a refused stored login ends, and its notice stays', async () => {
  const { Refusal, session, showLoginFailure, texts } = await load();
  const dismiss = showLoginFailure(new Refusal('This account is locked'));
  expect(session.current()).toBeUndefined();
  dismiss();
  expect(texts()).toEqual(['This account is locked']);
});

test('tries that fail alike have one notice, which is dismissed once the login is known', async () => {
  const { CallFailed, session, showLoginFailure, texts } = await load();
  showLoginFailure(new CallFailed(502, 'The server answered 502'));
  const dismiss = showLoginFailure(new CallFailed(502, 'The server answered 502'));
  expect(texts()).toEqual(['The server answered 502']);
  expect(session.current()?.token).toBe('one');
  dismiss();
  expect(texts()).toEqual([]);
});

test('a token that has ended has its notice already', async () => {
  const { InvalidToken, session, showLoginFailure, texts } = await load();
  session.end();
  showLoginFailure(new InvalidToken());
  expect(texts()).toEqual([]);
});
