import { setImmediate } from 'node:timers/promises';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryStorage } from '#testing/kits/browser/memoryStorage.ts';
import type { SendMessage } from './useComposer.ts';

let local = new MemoryStorage();
let tab = new MemoryStorage();

beforeEach(() => {
  local = new MemoryStorage();
  tab = new MemoryStorage();
  vi.stubGlobal('window', Object.assign(new EventTarget(), { localStorage: local }));
  vi.stubGlobal('sessionStorage', tab);
  vi.stubGlobal('document', { cookie: 'usertoken=one' });
  vi.stubGlobal('location', { protocol: 'https:' });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** The dashboard’s text field of a signed-in user. Sent messages wait until the test settles them. */
const openComposer = async (target: string | undefined = '7') => {
  vi.resetModules();
  const { session } = await import('#platform/web/app/session.ts');
  const { notices } = await import('#platform/web/app/notices.ts');
  const { useComposer } = await import('./useComposer.ts');
  session.setUsername('one', 'anna');
  const send = vi.fn<SendMessage>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  send.mockReturnValue(promise);
  const drawn: ReturnType<typeof useComposer>[] = [];
  function Field() {
    drawn.push(useComposer(send, target));
    return null;
  }
  const composer = (): ReturnType<typeof useComposer> => {
    renderToStaticMarkup(<Field />);
    const last = drawn.at(-1);
    if (!last) throw new Error('Nothing was drawn');
    return last;
  };
  /** Enters a text and chooses not to keep it. */
  const writeUnkept = (text: string): void => {
    composer().setText(text);
    composer().keeping.toggle();
  };
  const settle = async (error?: Error): Promise<void> => {
    if (error) reject(error);
    else resolve();
    await vi.waitFor(() => expect(send.mock.settledResults).toHaveLength(1));
    await setImmediate();
  };
  return {
    composer,
    writeUnkept,
    settle,
    sent: send.mock.calls,
    alerts: () => notices.getShown().map(({ text }) => text),
  };
};

test('a text that is not kept stays in the field until the computer has done it, and is stored nowhere', async () => {
  const { composer, writeUnkept, settle, sent } = await openComposer();
  writeUnkept('secret word');
  composer().submit();
  expect(sent).toEqual([['secret word', '7', false]]);
  expect(composer().text).toBe('secret word');
  expect(JSON.stringify([local, tab])).not.toContain('secret');
  await settle();
  expect([composer().text, composer().keeping.keep]).toEqual(['', true]);
});

test('text that is entered meanwhile is another message, and keeps the choice', async () => {
  const { composer, writeUnkept, settle } = await openComposer();
  writeUnkept('secret word');
  composer().submit();
  composer().setText('the next one');
  await settle();
  expect([composer().text, composer().keeping.keep]).toEqual(['the next one', false]);
});

test('a failed text stays in the field with its choice, and the reason is shown', async () => {
  const { composer, writeUnkept, settle, alerts } = await openComposer();
  writeUnkept('secret word');
  composer().submit();
  await settle(new Error('There is no screen here'));
  expect([composer().text, composer().keeping.keep]).toEqual(['secret word', false]);
  expect(alerts()).toEqual(['There is no screen here']);
});

test.for([
  ['No text to send', '', '7'],
  ['no device selected', 'secret word', ''],
  ['Message is too long at 201 characters, limit is 200 characters', 'x'.repeat(201), '7'],
] as const)('before it is sent it is refused: %s', async ([why, text, target]) => {
  const { composer, writeUnkept, sent, alerts } = await openComposer(target);
  writeUnkept(text);
  composer().submit();
  expect(sent).toEqual([]);
  expect([composer().text, composer().keeping.keep]).toEqual([text, false]);
  expect(alerts()).toEqual([why]);
});

test('a choice for all messages in one tab applies to other tabs too', async () => {
  const { composer, sent } = await openComposer();
  composer().keeping.setAlways(true);
  composer().setText('secret word');
  const key = 'pegboard.dashboard.keep';
  local.setItem(key, 'off');
  window.dispatchEvent(Object.assign(new Event('storage'), { key, newValue: 'off' }));
  composer().submit();
  expect(sent).toEqual([['secret word', '7', false]]);
});

test('a line sent again while the field has the same text clears the field, and restores it on failure', async () => {
  const { composer, settle, sent } = await openComposer();
  composer().setText('hello');
  composer().sendAgain('hello');
  expect(sent).toEqual([['hello', '7', true]]);
  expect(composer().text).toBe('');
  await settle(new Error('There is no screen here'));
  expect(composer().text).toBe('hello');
});

test('another line sent again does not change the field', async () => {
  const { composer, settle, sent } = await openComposer();
  composer().setText('something else');
  composer().sendAgain('hello');
  await settle();
  expect(sent).toEqual([['hello', '7', true]]);
  expect(composer().text).toBe('something else');
});
