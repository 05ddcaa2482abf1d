import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { PROMPT_LIMIT } from '../contract.ts';
import { safeUrl } from '../web/safeUrl.ts';
import { asTyped, checkPrompt } from './aiHandlers.ts';

test('a prompt has 1 to 8,000 characters, however many bytes', () => {
  expect(() => checkPrompt(' \n\t')).toThrow(new Refusal('ai.prompt_empty', 'Enter a prompt'));
  checkPrompt('👋'.repeat(PROMPT_LIMIT));
  expect(() => checkPrompt('👋'.repeat(PROMPT_LIMIT + 1))).toThrow(Refusal);
});

test('a prompt that was not encoded in the address is read as it was typed', () => {
  expect(asTyped('100%%20of%20%C3%A9')).toBe('100% of é');
  fc.assert(
    fc.property(fc.string(), (text) => {
      const typed = text.replaceAll('%', '');
      expect(asTyped(typed)).toBe(typed);
    }),
  );
});

test.each([
  'https://a.example/x?y#z',
  'HTTP://a.example',
  'irc://a/b',
  'ircs://a/b',
  'mailto:a@b.example',
  'xmpp:a@b.example',
  '/dashboard',
])('%s may be a link', (url) => expect(safeUrl(url)).toBe(url));

test.each([
  'javascript:alert(1)',
  'JaVa\tScRiPt:alert(1)',
  '\u0001javascript:alert(1)',
  'java\u200bscript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://a/b',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  'ftp://a',
  'tel:1',
  'page',
  '#x',
  '?x',
  '',
])('%j may not', (url) => expect(safeUrl(url)).toBe(''));
