import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { storedDrafts } from './storedDrafts.ts';

beforeEach(() => vi.stubGlobal('window', {}));
afterEach(() => {
  browserStorage.removeByPrefix('');
  vi.unstubAllGlobals();
});

test('a visitor’s drafts are added to those of the account that logs in, and none is lost', () => {
  storedDrafts.saveStash('', ['v1', 'v2', 'v3']);
  storedDrafts.saveDraft('', { text: 'visitor', code: '' });
  storedDrafts.saveStash('anna', ['a1', 'a2', 'a3']);
  storedDrafts.saveDraft('anna', { text: 'own', code: '' });
  expect(storedDrafts.read('anna', '')).toEqual({
    draft: { text: 'own', code: '' },
    stash: ['v1', 'v2', 'v3', 'a1', 'a2', 'a3', 'visitor'],
  });
});

test('the draft of the current page is restored, and those of other pages are stashed', () => {
  storedDrafts.saveDraft('', { text: 'visitor', code: 'x' });
  storedDrafts.saveDraft('anna', { text: 'own', code: '' });
  expect(storedDrafts.read('anna', 'x')).toEqual({ draft: { text: 'visitor', code: 'x' }, stash: ['own'] });
  expect(storedDrafts.readOwn('anna', 'x')).toEqual({ draft: undefined, stash: ['own'] });
  expect(storedDrafts.read('anna', 'y')).toEqual({ draft: undefined, stash: ['visitor', 'own'] });
});

test('drafts of an account are shown to no other account', () => {
  storedDrafts.saveStash('anna', ['a1']);
  storedDrafts.saveDraft('anna', { text: 'own', code: '' });
  for (const other of ['', 'ben', 'ann']) expect(storedDrafts.read(other, '')).toEqual({ draft: undefined, stash: [] });
});

test('damaged drafts are ignored without an error', () => {
  for (const damaged of ['{', '7', 'null', '{"text":7}', '[1]']) {
    browserStorage.set('paste.draft', damaged);
    browserStorage.set('paste.aside', damaged);
    expect(storedDrafts.read('anna', '')).toEqual({ draft: undefined, stash: [] });
  }
});
