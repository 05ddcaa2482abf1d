import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryStorage } from '#testing/kits/browser/memoryStorage.ts';

// Each visit loads the modules again, while the storage of the browser stays.

let local = new MemoryStorage();
let tab = new MemoryStorage();

beforeEach(() => {
  local = new MemoryStorage();
  tab = new MemoryStorage();
  vi.stubGlobal('window', Object.assign(new EventTarget(), { localStorage: local }));
  vi.stubGlobal('sessionStorage', tab);
  vi.stubGlobal('document', { cookie: '' });
  vi.stubGlobal('location', { protocol: 'https:' });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** Loads the page with a token in its cookie, or without one. */
async function visit(token?: string) {
  vi.resetModules();
  vi.stubGlobal('document', { cookie: token === undefined ? '' : `usertoken=${token}` });
  const { session } = await import('./session.ts');
  const { offlineStorage } = await import('./offlineStorage.ts');
  const { countDrafts, removeDrafts } = await import('./draftStore.ts');
  const { migrateDrafts, useDraft } = await import('./drafts.ts');
  const { browserStorage } = await import('../browser/browserStorage.ts');
  type Options = Parameters<typeof useDraft>[1];
  interface FieldProps {
    readonly name: string;
    readonly options: Options;
    readonly onRender: (draft: ReturnType<typeof useDraft>) => void;
  }
  function Field({ name, options, onRender }: FieldProps) {
    onRender(useDraft(name, options));
    return null;
  }
  function renderField(key: string, options?: Options) {
    const drafts: ReturnType<typeof useDraft>[] = [];
    renderToStaticMarkup(<Field name={key} options={options} onRender={(draft) => drafts.push(draft)} />);
    const [draft] = drafts;
    if (!draft) throw new Error('Nothing was rendered');
    return { text: draft[0], type: draft[1] };
  }
  return {
    session,
    offlineStorage,
    countDrafts,
    removeDrafts,
    migrateDrafts,
    browserStorage,
    renderField,
  };
}

const formatStorage = (): string => JSON.stringify([local, tab]);

test('text typed before the username is known belongs to the account', async () => {
  const { session, renderField } = await visit('one');
  renderField('note').type('typed early');
  session.setUsername('one', 'anna');
  expect(renderField('note').text).toBe('typed early');
});

test('text typed before the username is known is not shown to others after the session ended', async () => {
  const { session, renderField } = await visit('one');
  renderField('note').type('of anna');
  renderField('card', { isPersistent: true }).type('of anna');
  session.expire();
  expect(renderField('note').text).toBe('');
  session.start({ token: 'two', username: 'ben' });
  expect([renderField('note').text, renderField('card', { isPersistent: true }).text]).toEqual(['', '']);
  expect(formatStorage()).not.toContain('of anna');
});

test('text typed with a known token is restored after a login of its account', async () => {
  const first = await visit('one');
  first.session.setUsername('one', 'anna');
  first.offlineStorage.setAccount();
  tab = new MemoryStorage();
  vi.stubGlobal('sessionStorage', tab);
  const { session, renderField } = await visit('one');
  renderField('note').type('of anna');
  session.expire();
  session.start({ token: 'two', username: 'ben' });
  expect(renderField('note').text).toBe('');
  session.expire();
  session.start({ token: 'three', username: 'anna' });
  expect(renderField('note').text).toBe('of anna');
});

test('a tab draft survives a reload, also without a known username, and only for its account', async () => {
  const first = await visit();
  first.session.start({ token: 'one', username: 'anna' });
  first.renderField('slot', { isOfTab: true }).type('Run');
  expect((await visit('one')).renderField('slot', { isOfTab: true }).text).toBe('Run');
  const other = await visit('two');
  expect(other.renderField('slot', { isOfTab: true }).text).toBe('');
  other.session.setUsername('two', 'ben');
  expect(other.renderField('slot', { isOfTab: true }).text).toBe('');
  const reloaded = await visit('one');
  reloaded.session.setUsername('one', 'anna');
  expect(reloaded.renderField('slot', { isOfTab: true }).text).toBe('Run');
  reloaded.renderField('slot', { isOfTab: true }).type('');
  expect((await visit('one')).renderField('slot', { isOfTab: true }).text).toBe('');
});

test('a text that becomes secret is removed from the tab storage, and stays in the page', async () => {
  const first = await visit();
  first.session.start({ token: 'one', username: 'anna' });
  first.renderField('text').type('Tr0ub4dor');
  first.session.expire();
  expect(formatStorage()).toContain('Tr0ub4dor');
  first.session.start({ token: 'two', username: 'anna' });
  expect(first.renderField('text', { isSecret: true }).text).toBe('Tr0ub4dor');
  expect(formatStorage()).not.toContain('Tr0ub4dor');
  // The same if the field is rendered before the username is known.
  first.renderField('text').type('Tr0ub4dor&3');
  first.session.expire();
  const reloaded = await visit('three');
  reloaded.renderField('text', { isSecret: true });
  reloaded.session.setUsername('three', 'anna');
  expect(reloaded.renderField('text', { isSecret: true }).text).toBe('Tr0ub4dor&3');
  expect(formatStorage()).not.toContain('Tr0ub4dor');
});

test('removing the drafts of an account does not affect other accounts', async () => {
  const earlier = await visit();
  for (const username of ['anna', 'anna b']) {
    earlier.session.start({ token: username, username });
    earlier.renderField('slot', { isOfTab: true }).type(`slot of ${username}!`);
    earlier.renderField('card', { isPersistent: true }).type(`card of ${username}!`);
  }
  const { countDrafts, removeDrafts, renderField, session } = await visit();
  // Drafts are counted before a logout removes them.
  expect(countDrafts('anna')).toBe(2);
  removeDrafts('anna');
  expect([countDrafts('anna'), countDrafts('anna b')]).toEqual([0, 1]);
  expect(formatStorage()).not.toMatch(/slot of|card of anna!/);
  session.start({ token: 'three', username: 'anna b' });
  expect(renderField('card', { isPersistent: true }).text).toBe('card of anna b!');
});

test('an old draft is migrated once its owner is known, in front of newer text', async () => {
  local.setItem('pegboard.old', 'old text');
  const { session, migrateDrafts, browserStorage, renderField } = await visit('one');
  function takeOldDraft() {
    const text = browserStorage.get('old');
    browserStorage.removeByPrefix('old');
    return text === undefined ? {} : { card: text };
  }
  migrateDrafts(takeOldDraft);
  expect(local.getItem('pegboard.old')).toBe('old text');
  renderField('card', { isPersistent: true }).type('since');
  session.setUsername('one', 'anna');
  expect(renderField('card', { isPersistent: true }).text).toBe('old text\nsince');
  expect(local.getItem('pegboard.old')).toBeNull();
  session.start({ token: 'two', username: 'ben' });
  expect(renderField('card', { isPersistent: true }).text).toBe('');
});
