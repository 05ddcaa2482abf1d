import { setImmediate } from 'node:timers/promises';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryStorage } from '#testing/kits/browser/memoryStorage.ts';
import type { SendMessage } from './useComposer.ts';

let localStore = new MemoryStorage();
let sessionStore = new MemoryStorage();

beforeEach(() => {
  localStore = new MemoryStorage();
  sessionStore = new MemoryStorage();
  vi.stubGlobal('window', Object.assign(new EventTarget(), { localStorage: localStore }));
  vi.stubGlobal('sessionStorage', sessionStore);
  vi.stubGlobal('document', { cookie: 'usertoken=one' });
  vi.stubGlobal('location', { protocol: 'https:' });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** Opens the dashboard’s text field for a logged-in user. Sent messages wait until the test settles them. */
async function openComposer(target: string | undefined = '7') {
  vi.resetModules();
  const { session } = await import('#platform/web/app/session.ts');
  const { notices } = await import('#platform/web/app/notices.ts');
  const { useComposer } = await import('./useComposer.ts');
  session.setUsername('one', 'anna');
  const send = vi.fn<SendMessage>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  send.mockReturnValue(promise);
  const renders: ReturnType<typeof useComposer>[] = [];
  function Field() {
    renders.push(useComposer(send, target));
    return null;
  }
  function render(): ReturnType<typeof useComposer> {
    renderToStaticMarkup(<Field />);
    const latest = renders.at(-1);
    if (!latest) throw new Error('Nothing was rendered');
    return latest;
  }
  /** Enters a text and chooses not to store it. */
  function enterUnstored(text: string): void {
    render().setText(text);
    render().retention.toggle();
  }
  async function settle(error?: Error): Promise<void> {
    if (error) reject(error);
    else resolve();
    await vi.waitFor(() => expect(send.mock.settledResults).toHaveLength(1));
    await setImmediate();
  }
  return {
    render,
    enterUnstored,
    settle,
    sent: send.mock.calls,
    listAlerts: () => notices.getShown().map(({ text }) => text),
  };
}

test('a text that must not be stored stays in the field until the computer has done it, and is stored nowhere', async () => {
  const { render, enterUnstored, settle, sent } = await openComposer();
  enterUnstored('secret word');
  render().submit();
  expect(sent).toEqual([['secret word', '7', false]]);
  expect(render().text).toBe('secret word');
  expect(JSON.stringify([localStore, sessionStore])).not.toContain('secret');
  await settle();
  expect([render().text, render().retention.keep]).toEqual(['', true]);
});

test('text that is entered meanwhile is another message, to which the choice applies', async () => {
  const { render, enterUnstored, settle } = await openComposer();
  enterUnstored('secret word');
  render().submit();
  render().setText('the next one');
  await settle();
  expect([render().text, render().retention.keep]).toEqual(['the next one', false]);
});

test('a failed text stays in the field with its choice, and the reason is shown', async () => {
  const { render, enterUnstored, settle, listAlerts } = await openComposer();
  enterUnstored('secret word');
  render().submit();
  await settle(new Error('There is no screen here'));
  expect([render().text, render().retention.keep]).toEqual(['secret word', false]);
  expect(listAlerts()).toEqual(['There is no screen here']);
});

test.for([
  ['No text to send', '', '7'],
  ['no device selected', 'secret word', ''],
  ['Message is too long at 201 characters, limit is 200 characters', 'x'.repeat(201), '7'],
] as const)('an invalid text is refused before it is sent: %s', async ([refusal, text, target]) => {
  const { render, enterUnstored, sent, listAlerts } = await openComposer(target);
  enterUnstored(text);
  render().submit();
  expect(sent).toEqual([]);
  expect([render().text, render().retention.keep]).toEqual([text, false]);
  expect(listAlerts()).toEqual([refusal]);
});

test('a choice for all messages in one tab applies to other tabs too', async () => {
  const { render, sent } = await openComposer();
  render().retention.setStoringByDefault(true);
  render().setText('secret word');
  const key = 'pegboard.dashboard.keep';
  localStore.setItem(key, 'off');
  window.dispatchEvent(Object.assign(new Event('storage'), { key, newValue: 'off' }));
  render().submit();
  expect(sent).toEqual([['secret word', '7', false]]);
});

test('a line sent again while the field has the same text clears the field, and restores it on failure', async () => {
  const { render, settle, sent } = await openComposer();
  render().setText('hello');
  render().sendAgain('hello');
  expect(sent).toEqual([['hello', '7', true]]);
  expect(render().text).toBe('');
  await settle(new Error('There is no screen here'));
  expect(render().text).toBe('hello');
});

test('another line sent again does not change the field', async () => {
  const { render, settle, sent } = await openComposer();
  render().setText('something else');
  render().sendAgain('hello');
  await settle();
  expect(sent).toEqual([['hello', '7', true]]);
  expect(render().text).toBe('something else');
});
