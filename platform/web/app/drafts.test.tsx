import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryStorage } from '#testing/kits/browser/memoryStorage.ts';

// Each visit of the page loads the modules anew; what the browser stores stays.

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

/** The page as it is loaded with a token as its cookie, or with none. */
const visit = async (token?: string) => {
  vi.resetModules();
  vi.stubGlobal('document', { cookie: token === undefined ? '' : `usertoken=${token}` });
  const { session } = await import('./session.ts');
  const { offlineStorage } = await import('./offline.ts');
  const { countDrafts, removeDrafts } = await import('./draftStore.ts');
  const { migrateDrafts, useDraft } = await import('./drafts.ts');
  const { browserStorage } = await import('../browser/browserStorage.ts');
  type Options = Parameters<typeof useDraft>[1];
  interface FieldProps {
    readonly name: string;
    readonly options: Options;
    readonly onDrawn: (draft: ReturnType<typeof useDraft>) => void;
  }
  function Field({ name, options, onDrawn }: FieldProps) {
    onDrawn(useDraft(name, options));
    return null;
  }
  const field = (key: string, options?: Options) => {
    const drawn: ReturnType<typeof useDraft>[] = [];
    renderToStaticMarkup(<Field name={key} options={options} onDrawn={(draft) => drawn.push(draft)} />);
    const [draft] = drawn;
    if (!draft) throw new Error('Nothing was drawn');
    return { text: draft[0], type: draft[1] };
  };
  return {
    session,
    offline: offlineStorage,
    countDrafts,
    forgetDrafts: removeDrafts,
    adoptFormer: migrateDrafts,
    remember: browserStorage,
    field,
  };
};

const stored = (): string => JSON.stringify([local, tab]);

test('what is typed before the name is known is the account’s once it is', async () => {
  const { session, field } = await visit('one');
  field('note').type('typed early');
  session.setUsername('one', 'anna');
  expect(field('note').text).toBe('typed early');
});

test('what is typed before the name is known is shown to nobody else where the session has ended', async () => {
  const { session, field } = await visit('one');
  field('note').type('of anna');
  field('card', { isPersistent: true }).type('of anna');
  session.expire();
  expect(field('note').text).toBe('');
  session.start({ token: 'two', username: 'ben' });
  expect([field('note').text, field('card', { isPersistent: true }).text]).toEqual(['', '']);
  expect(stored()).not.toContain('of anna');
});

test('what is typed with a token whose account this browser knows comes back after the login of that account', async () => {
  const first = await visit('one');
  first.session.setUsername('one', 'anna');
  first.offline.setAccount();
  tab = new MemoryStorage();
  vi.stubGlobal('sessionStorage', tab);
  const { session, field } = await visit('one');
  field('note').type('of anna');
  session.expire();
  session.start({ token: 'two', username: 'ben' });
  expect(field('note').text).toBe('');
  session.expire();
  session.start({ token: 'three', username: 'anna' });
  expect(field('note').text).toBe('of anna');
});

test('a text of the tab is there after a reload, also where nobody can say whose the page is, and for its account alone', async () => {
  const first = await visit();
  first.session.start({ token: 'one', username: 'anna' });
  first.field('slot', { isOfTab: true }).type('Run');
  expect((await visit('one')).field('slot', { isOfTab: true }).text).toBe('Run');
  const other = await visit('two');
  expect(other.field('slot', { isOfTab: true }).text).toBe('');
  other.session.setUsername('two', 'ben');
  expect(other.field('slot', { isOfTab: true }).text).toBe('');
  const again = await visit('one');
  again.session.setUsername('one', 'anna');
  expect(again.field('slot', { isOfTab: true }).text).toBe('Run');
  again.field('slot', { isOfTab: true }).type('');
  expect((await visit('one')).field('slot', { isOfTab: true }).text).toBe('');
});

test('a text that becomes a secret is taken out of what the tab has stored, and stays in the page', async () => {
  const first = await visit();
  first.session.start({ token: 'one', username: 'anna' });
  first.field('text').type('Tr0ub4dor');
  first.session.expire();
  expect(stored()).toContain('Tr0ub4dor');
  first.session.start({ token: 'two', username: 'anna' });
  expect(first.field('text', { isSecret: true }).text).toBe('Tr0ub4dor');
  expect(stored()).not.toContain('Tr0ub4dor');
  // Also where the field is drawn before it is known whose the page is.
  first.field('text').type('Tr0ub4dor&3');
  first.session.expire();
  const again = await visit('three');
  again.field('text', { isSecret: true });
  again.session.setUsername('three', 'anna');
  expect(again.field('text', { isSecret: true }).text).toBe('Tr0ub4dor&3');
  expect(stored()).not.toContain('Tr0ub4dor');
});

test('an account that is forgotten leaves no text, and others keep theirs', async () => {
  const before = await visit();
  for (const username of ['anna', 'anna b']) {
    before.session.start({ token: username, username });
    before.field('slot', { isOfTab: true }).type(`slot of ${username}!`);
    before.field('card', { isPersistent: true }).type(`card of ${username}!`);
  }
  const { countDrafts, forgetDrafts, field, session } = await visit();
  // What logging out would take away is counted before it does.
  expect(countDrafts('anna')).toBe(2);
  forgetDrafts('anna');
  expect([countDrafts('anna'), countDrafts('anna b')]).toEqual([0, 1]);
  expect(stored()).not.toMatch(/slot of|card of anna!/);
  session.start({ token: 'three', username: 'anna b' });
  expect(field('card', { isPersistent: true }).text).toBe('card of anna b!');
});

test('a former text waits until it is known whose it is, goes in front of what was typed since, and is taken once', async () => {
  local.setItem('pegboard.old', 'former');
  const { session, adoptFormer, remember, field } = await visit('one');
  const take = () => {
    const text = remember.get('old');
    remember.removeByPrefix('old');
    return text === undefined ? {} : { card: text };
  };
  adoptFormer(take);
  expect(local.getItem('pegboard.old')).toBe('former');
  field('card', { isPersistent: true }).type('since');
  session.setUsername('one', 'anna');
  expect(field('card', { isPersistent: true }).text).toBe('former\nsince');
  expect(local.getItem('pegboard.old')).toBeNull();
  session.start({ token: 'two', username: 'ben' });
  expect(field('card', { isPersistent: true }).text).toBe('');
});
