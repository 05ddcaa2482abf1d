import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatM3u } from './songFileNames.ts';

/** Includes lone surrogates. */
const anyCharacter = fc.integer({ min: 0, max: 0x1ffff }).map((code) => String.fromCodePoint(code));

test('a playlist file contains the duration, title and location of each song', () => {
  const songs = [
    { title: 'One', artist: '', duration: 180.4, location: '01 One.mp3' },
    { title: 'Two', artist: 'Ann', duration: 61, location: 'http://host/api/stream/2?e=1&s=x' },
  ];
  expect(formatM3u(songs)).toBe(
    '#EXTM3U\n#EXTINF:180,One\n01 One.mp3\n#EXTINF:61,Ann - Two\nhttp://host/api/stream/2?e=1&s=x\n',
  );
});

test('line breaks in titles add no lines', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anyCharacter })), (titles) => {
      const songs = titles.map((title) => ({ title, artist: title, duration: 1, location: 'x' }));
      expect(formatM3u(songs).split(/[\n\r\u2028\u2029]/)).toHaveLength(2 * titles.length + 2);
    }),
  );
});
