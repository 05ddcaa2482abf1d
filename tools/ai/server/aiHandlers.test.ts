import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { MAX_PROMPT_LENGTH } from '../contract.ts';
import { restoreTypedPrompt, validatePrompt } from './aiHandlers.ts';

test('a prompt has 1 to 8,000 characters, however many bytes', () => {
  expect(() => validatePrompt(' \n\t')).toThrow(new Refusal('ai.prompt_empty', 'Enter a prompt'));
  validatePrompt('👋'.repeat(MAX_PROMPT_LENGTH));
  expect(() => validatePrompt('👋'.repeat(MAX_PROMPT_LENGTH + 1))).toThrow(Refusal);
});

test('a prompt that was not encoded in the address is read as it was typed', () => {
  expect(restoreTypedPrompt('100%%20of%20%C3%A9')).toBe('100% of é');
  fc.assert(
    fc.property(fc.string(), (text) => {
      const typed = text.replaceAll('%', '');
      expect(restoreTypedPrompt(typed)).toBe(typed);
    }),
  );
});
