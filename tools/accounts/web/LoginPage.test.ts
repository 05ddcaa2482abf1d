import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryStorage } from '#testing/kits/browser/memoryStorage.ts';

beforeEach(() => {
  vi.resetModules();
  vi.stubGlobal('window', Object.assign(new EventTarget(), { localStorage: new MemoryStorage() }));
  vi.stubGlobal('document', { cookie: 'usertoken=one' });
  vi.stubGlobal('location', { protocol: 'https:' });
});
afterEach(() => vi.unstubAllGlobals());

async function loadModules() {
  const { CallError } = await import('#platform/contract/client.ts');
  const { InvalidTokenRefusal, Refusal } = await import('#platform/contract/refusal.ts');
  const { notices } = await import('#platform/web/app/notices.ts');
  const { session } = await import('#platform/web/app/session.ts');
  const { showLoginFailure } = await import('./LoginPage.tsx');
  const listTexts = (): readonly string[] => notices.getShown().map(({ text }) => text);
  return { CallError, InvalidTokenRefusal, Refusal, session, showLoginFailure, listTexts };
}

test('a refused stored login ends, and its notice stays', async () => {
  const { Refusal, session, showLoginFailure, listTexts } = await loadModules();
  const dismiss = showLoginFailure(new Refusal('test.refused', 'This account is locked'));
  expect(session.getCurrent()).toBeUndefined();
  dismiss();
  expect(listTexts()).toEqual(['This account is locked']);
});

test('repeated failures have one notice, which is dismissed once the login is checked', async () => {
  const { CallError, session, showLoginFailure, listTexts } = await loadModules();
  showLoginFailure(new CallError(502, 'The server responded with status 502'));
  const dismiss = showLoginFailure(new CallError(502, 'The server responded with status 502'));
  expect(listTexts()).toEqual(['The server responded with status 502']);
  expect(session.getCurrent()?.token).toBe('one');
  dismiss();
  expect(listTexts()).toEqual([]);
});

test('an expired token adds no second notice', async () => {
  const { InvalidTokenRefusal, session, showLoginFailure, listTexts } = await loadModules();
  session.expire();
  showLoginFailure(new InvalidTokenRefusal());
  expect(listTexts()).toEqual([]);
});
