import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { failureOf, sizeInWords, type Outcome } from './failure.ts';

/** Of any units of UTF-16, halves of pairs too. */
const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));

const ended = (outcome: Partial<Outcome>): string => {
  const { means, sentence } = failureOf({
    code: 1,
    died: undefined,
    stopped: undefined,
    errors: '',
    troubles: [],
    isLive: false,
    hasBegun: false,
    version: '2023.03.04',
    limitBytes: 1024 ** 3,
    ...outcome,
  });
  return `${means}: ${sentence}`;
};

const said = (errors: string): string => ended({ errors });

test.each([
  ['404', 'final: The site answered 404'],
  ['403', 'final: The site answered 403'],
  ['410', 'final: The site answered 410'],
  ['500', 'again: The site answered 500'],
  ['429', 'again: The site answered 429'],
  ['408', 'again: The site answered 408'],
  // Our own proxy says so of a site that does not answer.
  ['502', 'again: The site cannot be reached'],
])('a site that answers %s', (status, sentence) => {
  expect(
    said(`ERROR: [generic] Unable to download webpage: HTTP Error ${status}: Whatever (caused by <HTTPError …>)`),
  ).toBe(sentence);
});

test('what the proxy refused is told as that, though yt-dlp saw a 403', () => {
  const errors = 'ERROR: [generic] Unable to download webpage: HTTP Error 403: Forbidden';
  expect(ended({ errors, troubles: ['inner'] })).toBe('final: This address leads into a private network');
  expect(ended({ errors, troubles: ['port'] })).toMatch(/^final: This address names a port/);
  expect(ended({ errors, troubles: ['unreached'] })).toBe('again: The site cannot be reached');
});

test('a disk without room is no fault of the site, and may have some in a while', () => {
  expect(said('ERROR: unable to write data: [Errno 28] No space left on device')).toBe(
    'again: There was no room on the disk of the server',
  );
});

test('whatever is too large is told so, by whichever limit it was found', () => {
  const sentence = 'final: Larger than 1 GiB';
  expect(ended({ troubles: ['bytes'] })).toBe(sentence);
  expect(ended({ died: 'SIGXFSZ', code: undefined })).toBe(sentence);
  expect(said('ERROR: unable to write data: [Errno 27] File too large')).toBe(sentence);
  // Above --max-filesize yt-dlp ends with 0.
  expect(ended({ code: 0, hasBegun: true })).toBe(sentence);
  expect([sizeInWords(1024 ** 3), sizeInWords(1.5 * 1024 ** 3), sizeInWords(8 * 1024 ** 2)]).toEqual([
    '1 GiB',
    '1.5 GiB',
    '8 MiB',
  ]);
});

test('what takes too long is tried again', () => {
  for (const outcome of [
    { stopped: 'time' },
    { stopped: 'silence' },
    { troubles: ['silent'] },
    { died: 'SIGXCPU' },
  ] as const)
    expect(ended({ code: undefined, ...outcome })).toBe('again: Took too long');
});

test('an end without a file is a live stream, or nothing at all', () => {
  expect(ended({ code: 0, isLive: true })).toBe('final: Live streams cannot be downloaded');
  expect(ended({ code: 0 })).toBe('final: There is nothing to download under this address');
});

test.each([
  'ERROR: Unsupported URL: https://songs.example/x',
  'ERROR: [youtube] abc: Unable to extract uploader id; please report this issue on …',
  'ERROR: [Site] abc: No video formats found!; please report this issue on …',
])('a page that yt-dlp does not understand names yt-dlp: %s', (errors) => {
  expect(said(errors)).toBe('final: yt-dlp 2023.03.04 cannot read this page; a newer one may');
});

test.each([
  'ERROR: unable to download video data: <urlopen error [Errno 104] Connection reset by peer>',
  'ERROR: Got error: 1048576 bytes read, 2000000 more expected. Giving up after 3 retries',
  'ERROR: [generic] timed out',
])('a line that breaks is tried again: %s', (errors) => {
  expect(said(errors)).toBe('again: The line broke off');
});

test('a stream that only ffmpeg could fetch is none of ours', () => {
  expect(said('ERROR: m3u8 download detected but ffmpeg could not be found. Please install')).toBe(
    'final: Streams of this kind cannot be downloaded',
  );
});

test('what the site says itself is passed on in one line, without addresses', () => {
  expect(
    said('WARNING: x\nERROR: [youtube] dQw4: Private video.\u202e Sign in at https://site.example/?t=secret now'),
  ).toBe('final: The site says: Private video. Sign in at … now');
  expect(said(`ERROR: [x] y: ${'a'.repeat(900)}`)).toHaveLength('final: The site says: '.length + 201);
});

test('whatever a run said, there is one sentence, in one line, that holds no address', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom('', ' https://site.example/?token=1', 'HTTP://x'), (words, url) => {
      const sentence = said(`ERROR: [x] y: ${words}${url}`);
      expect(sentence).not.toMatch(/\n|https?:\/\/\S/);
    }),
  );
});
