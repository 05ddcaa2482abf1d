import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type MemoryStorage, stubPage } from '#testing/kits/browser/memoryStorage.ts';

let local: MemoryStorage;

beforeEach(() => {
  local = stubPage();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** Loads the page with a token as its cookie. Each visit reloads the modules. The browser's storage stays. */
async function visit(token = 'one') {
  vi.resetModules();
  vi.stubGlobal('document', { cookie: `usertoken=${token}` });
  const { draftOwner } = await import('#platform/web/app/draftOwner.ts');
  const { storedDrafts } = await import('./storedDrafts.ts');
  return { storedDrafts, unknownOwner: draftOwner.getUnknownOwner() };
}

test('a visitor’s drafts are added to those of the account that logs in, and none is lost', async () => {
  const { storedDrafts } = await visit();
  storedDrafts.saveStash('', ['v1', 'v2', 'v3']);
  storedDrafts.saveDraft('', { text: 'visitor', code: '' });
  storedDrafts.saveStash('anna', ['a1', 'a2', 'a3']);
  storedDrafts.saveDraft('anna', { text: 'own', code: '' });
  expect(storedDrafts.read('anna', '')).toEqual({
    draft: { text: 'own', code: '' },
    stash: ['v1', 'v2', 'v3', 'a1', 'a2', 'a3', 'visitor'],
  });
});

test('the draft of the current page is restored, and those of other pages are stashed', async () => {
  const { storedDrafts } = await visit();
  storedDrafts.saveDraft('', { text: 'visitor', code: 'x' });
  storedDrafts.saveDraft('anna', { text: 'own', code: '' });
  expect(storedDrafts.read('anna', 'x')).toEqual({ draft: { text: 'visitor', code: 'x' }, stash: ['own'] });
  expect(storedDrafts.readKnown('anna', 'x')).toEqual({ draft: undefined, stash: ['own'] });
  expect(storedDrafts.read('anna', 'y')).toEqual({ draft: undefined, stash: ['visitor', 'own'] });
});

test('drafts of an account are shown to no other account', async () => {
  const { storedDrafts } = await visit();
  storedDrafts.saveStash('anna', ['a1']);
  storedDrafts.saveDraft('anna', { text: 'own', code: '' });
  for (const other of ['', 'ben', 'ann']) expect(storedDrafts.read(other, '')).toEqual({ draft: undefined, stash: [] });
});

test('damaged drafts are ignored without an error', async () => {
  const { storedDrafts } = await visit();
  for (const damaged of ['{', '7', 'null', '{"text":7}', '[1]']) {
    local.setItem('paste.draft', damaged);
    local.setItem('paste.aside', damaged);
    expect(storedDrafts.read('anna', '')).toEqual({ draft: undefined, stash: [] });
  }
});

test('what was typed before the account was known is shown to no other account', async () => {
  const { storedDrafts, unknownOwner } = await visit();
  storedDrafts.saveDraft(unknownOwner, { text: 'early', code: '' });
  const { storedDrafts: sameSession } = await visit();
  expect(sameSession.read('anna', '')).toEqual({ draft: { text: 'early', code: '' }, stash: [] });
  const { storedDrafts: otherSession } = await visit('two');
  expect(otherSession.read('ben', '')).toEqual({ draft: undefined, stash: [] });
});
