import { expect, test } from 'vitest';
import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { notKept, notQueued } from './failures.ts';

test('what could not be queued is told in the words of the specification, a session that has ended by the login alone', () => {
  expect(notQueued(new Refusal('Not a web address'))).toBe('Failed: Not a web address');
  expect(notQueued(new CallError(502, 'Bad Gateway'))).toBe('Error: 502 - Bad Gateway');
  expect(notQueued(new CallError(0, 'The server cannot be reached'))).toBe(
    'Network Error: The server cannot be reached',
  );
  expect(notQueued('odd')).toBe('Network Error: odd');
  expect(notQueued(new InvalidTokenRefusal())).toBeUndefined();
});

test('so is what could not be kept as a file', () => {
  expect(notKept(new Refusal('File is missing, download again?'))).toBe(
    'Download failed: File is missing, download again?',
  );
  expect(notKept(new Error(''))).toBe('Download failed');
  expect(notKept(new InvalidTokenRefusal())).toBeUndefined();
});
