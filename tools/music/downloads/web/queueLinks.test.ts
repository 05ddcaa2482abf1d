import { expect, test } from 'vitest';
import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';

const { formatSaveFailure, formatQueueFailure } = await loadWithWindow(() => import('./queueLinks.ts'));

test('a link that was not queued has the message of the specification, and an expired session only shows the login', () => {
  expect(
    formatQueueFailure(
      new Refusal('music.invalid_link', 'This is not a web address. Paste a link that begins with https://'),
    ),
  ).toBe('Failed: This is not a web address. Paste a link that begins with https://');
  expect(formatQueueFailure(new CallError(502, 'Bad Gateway'))).toBe('Error: 502 - Bad Gateway');
  expect(formatQueueFailure(new CallError(0, 'The server cannot be reached'))).toBe(
    'Network Error: The server cannot be reached',
  );
  expect(formatQueueFailure('odd')).toBe('Network Error: odd');
  expect(formatQueueFailure(new InvalidTokenRefusal())).toBeUndefined();
});

test('a file that could not be downloaded has a message too', () => {
  expect(formatSaveFailure(new Refusal('music.file_missing', 'The file is missing. Download it again'))).toBe(
    'Download failed: The file is missing. Download it again',
  );
  expect(formatSaveFailure(new Error(''))).toBe('Download failed');
  expect(formatSaveFailure(new InvalidTokenRefusal())).toBeUndefined();
});
