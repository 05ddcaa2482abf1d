import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type MemoryStorage, stubPage } from '#testing/kits/browser/memoryStorage.ts';

// Each visit reloads the modules. The browser's storage stays.

let local: MemoryStorage;

beforeEach(() => {
  local = stubPage();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** Loads the page with a token as its cookie. */
async function visit(token: string) {
  vi.resetModules();
  vi.stubGlobal('document', { cookie: `usertoken=${token}` });
  const { session } = await import('#platform/web/app/session.ts');
  const { removeDrafts } = await import('#platform/web/app/draftStore.ts');
  const { drafts } = await import('./eventDrafts.ts');
  return { session, forgetDrafts: removeDrafts, drafts };
}

const idea = { date: '2026-12-24', name: 'Idea' };
const readStorage = (): string => JSON.stringify(local);

test('drafts from before the account is known belong to it afterwards, and leave with it', async () => {
  const { session, drafts, forgetDrafts } = await visit('one');
  drafts.save(5, { edits: { name: 'typed early' } });
  drafts.save(idea, { edits: { name: 'new and early' } });
  session.setUsername('one', 'anna');
  expect(drafts.read(5)?.edits.name).toBe('typed early');
  expect(drafts.read(idea)).toEqual({ edits: { name: 'new and early' }, proposal: idea });
  forgetDrafts('anna');
  expect(readStorage()).not.toContain('early');
});

test('drafts of another account are not shown, and each account finds its own again', async () => {
  const first = await visit('one');
  first.session.setUsername('one', 'anna');
  first.drafts.save(5, { edits: { name: 'of anna' } });
  first.drafts.save(idea, { edits: { name: 'of anna' } });
  const other = await visit('two');
  other.session.setUsername('two', 'ben');
  expect([other.drafts.read(5), other.drafts.read(idea)]).toEqual([undefined, undefined]);
  other.forgetDrafts('ben');
  const again = await visit('three');
  again.session.setUsername('three', 'anna');
  expect(again.drafts.read(5)?.edits.name).toBe('of anna');
  again.drafts.remove(5);
  again.drafts.remove(idea);
  expect(readStorage()).not.toContain('of anna');
});

test('drafts that an earlier version stored with a name are only found by that account', async () => {
  const createDraft = (name: string, who: string): object => ({ edits: { name }, who, proposal: idea });
  local.setItem('pegboard.calendar.draft.5', JSON.stringify(createDraft('event of anna', 'anna')));
  local.setItem('pegboard.calendar.draft.51', JSON.stringify(createDraft('event of ben', 'ben')));
  const storedDrafts = {
    '2026-12-24 Idea': createDraft('new of anna', 'anna'),
    '2026-12-25 Idea': createDraft('new of ben', 'ben'),
  };
  local.setItem('pegboard.calendar.drafts', JSON.stringify(storedDrafts));
  const first = await visit('one');
  first.session.setUsername('one', 'anna');
  expect([first.drafts.read(5)?.edits.name, first.drafts.read(51)]).toEqual(['event of anna', undefined]);
  expect(first.drafts.read(idea)?.edits.name).toBe('new of anna');
  first.forgetDrafts('anna');
  expect(readStorage()).not.toContain('of anna');
  const other = await visit('two');
  other.session.setUsername('two', 'ben');
  expect(other.drafts.read(51)?.edits.name).toBe('event of ben');
  expect(other.drafts.read({ ...idea, date: '2026-12-25' })?.edits.name).toBe('new of ben');
});
