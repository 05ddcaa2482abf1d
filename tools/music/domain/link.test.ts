import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNameOfFile, keyOfLink, linkIn, mayBeList, sharedLink, titleOfLink } from './link.ts';

/** Of any units of UTF-16, halves of pairs too. */
const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));

test.each([
  ['https://songs.example/watch?v=1', 'https://songs.example/watch?v=1'],
  ['  http://songs.example  ', 'http://songs.example/'],
  ['HTTPS://Songs.Example/a b', 'https://songs.example/a%20b'],
  ['http://0x7f000001/', 'http://127.0.0.1/'],
])('a link to the web is taken: %j', (written, address) => {
  expect(linkIn(written)?.href).toBe(address);
});

test.each([
  '',
  'songs.example/watch',
  'ytsearch:five songs',
  'file:///etc/passwd',
  'ftp://songs.example/a.mp3',
  'javascript:alert(1)',
  'data:audio/mpeg;base64,AAAA',
  '--exec=touch /tmp/x',
  'https://ann:pw@songs.example/',
  'https://ann@songs.example/',
  'http://',
  `https://songs.example/${'a'.repeat(2048)}`,
  // Longer once it is written as an address.
  `https://songs.example/${'世'.repeat(500)}`,
])('no other text is: %j', (written) => {
  expect(linkIn(written)).toBeUndefined();
});

test('a link is always one word of the web, whatever was written', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyText,
        fc.tuple(fc.constantFrom('http://', 'HTTPS://', 'ftp:', ''), anyText).map((parts) => parts.join('')),
      ),
      (written) => {
        const link = linkIn(written);
        if (link) expect(link.href).toMatch(/^https?:\/\/[^\s@/]+\/\S*$/);
      },
    ),
  );
});

const titleOf = (text: string): string => titleOfLink(new URL(text));

test('until a title is known a download is called by its host and path, in one readable line', () => {
  expect(titleOf('https://songs.example:8080/a/b%20c/?v=1#x')).toBe('songs.example:8080/a/b c');
  expect(titleOf('https://songs.example/')).toBe('songs.example');
  expect(titleOf('https://songs.example/100%')).toBe('songs.example/100%');
  expect(titleOf('https://songs.example/a%0Ab%E2%80%AEc')).toBe('songs.example/a bc');
  expect(Array.from(titleOf(`https://songs.example/${'👋'.repeat(150)}`))).toHaveLength(100);
});

test('a title that is only the file’s name is told from a real one', () => {
  const address = 'https://songs.example/a/My%20first_song.mp3?x=1';
  expect(['My first song', 'my_first_song', 'My first_song.mp3'].every((title) => isNameOfFile(title, address))).toBe(
    true,
  );
  expect([isNameOfFile('My first song (live)', address), isNameOfFile('', address)]).toEqual([false, false]);
});

test('two links that differ behind # only are one', () => {
  expect(keyOfLink(new URL('https://songs.example/a?b=c#d'))).toBe('https://songs.example/a?b=c');
});

test('lists are told by their ending', () => {
  const may = ['a.m3u', 'a.M3U8', 'a.pls?x=1', 'a.xspf', 'a.mp3', 'm3u', 'a.m3u/b'].map((path) =>
    mayBeList(new URL(path, 'https://songs.example/')),
  );
  expect(may).toEqual([true, true, true, true, false, false, false]);
});

test('a shared link is found wherever the other program put it', () => {
  expect(sharedLink({ url: 'https://songs.example/1' })).toBe('https://songs.example/1');
  expect(sharedLink({ url: '', text: 'Listen to this: https://songs.example/2.', title: 'A song' })).toBe(
    'https://songs.example/2',
  );
  expect(sharedLink({ text: null, title: '“x” (https://songs.example/3)' })).toBe('https://songs.example/3');
  const bracket = 'https://songs.example/Blue_(song)';
  for (const text of [bracket, `(${bracket})`, `Hear “${bracket}”, it is good`, `(hear ${bracket}).`])
    expect(sharedLink({ text })).toBe(bracket);
  expect(sharedLink({ text: 'http:// and https://ann:pw@songs.example/ are none' })).toBeUndefined();
  expect(sharedLink({})).toBeUndefined();
});
