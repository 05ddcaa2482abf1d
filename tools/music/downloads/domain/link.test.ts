import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFileName, getLinkKey, parseLink, findLinks, canBeList, findSharedLinks, formatLinkTitle } from './link.ts';

/** Any UTF-16 code units, including lone surrogates. */
const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));

test.each([
  ['https://songs.example/watch?v=1', 'https://songs.example/watch?v=1'],
  ['  http://songs.example  ', 'http://songs.example/'],
  ['HTTPS://Songs.Example/a b', 'https://songs.example/a%20b'],
  ['http://0x7f000001/', 'http://127.0.0.1/'],
])('a web link is accepted: %j', (written, address) => {
  expect(parseLink(written)?.href).toBe(address);
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
  // Longer after it is encoded as an address.
  `https://songs.example/${'世'.repeat(500)}`,
])('any other text is refused: %j', (written) => {
  expect(parseLink(written)).toBeUndefined();
});

test('an accepted link is always a single web address', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyText,
        fc.tuple(fc.constantFrom('http://', 'HTTPS://', 'ftp:', ''), anyText).map((parts) => parts.join('')),
      ),
      (written) => {
        const link = parseLink(written);
        if (link) expect(link.href).toMatch(/^https?:\/\/[^\s@/]+\/\S*$/);
      },
    ),
  );
});

const getTitle = (text: string): string => formatLinkTitle(new URL(text));

test('until the title is known it is the host and path in one readable line', () => {
  expect(getTitle('https://songs.example:8080/a/b%20c/?v=1#x')).toBe('songs.example:8080/a/b c');
  expect(getTitle('https://songs.example/')).toBe('songs.example');
  expect(getTitle('https://songs.example/100%')).toBe('songs.example/100%');
  expect(getTitle('https://songs.example/a%0Ab%E2%80%AEc')).toBe('songs.example/a bc');
  expect(Array.from(getTitle(`https://songs.example/${'👋'.repeat(150)}`))).toHaveLength(100);
});

test('a title that is only the file’s name is distinguished from a real one', () => {
  const address = 'https://songs.example/a/My%20first_song.mp3?x=1';
  expect(['My first song', 'my_first_song', 'My first_song.mp3'].every((title) => isFileName(title, address))).toBe(
    true,
  );
  expect([isFileName('My first song (live)', address), isFileName('', address)]).toEqual([false, false]);
});

test('two links that only differ in the fragment are the same', () => {
  expect(getLinkKey(new URL('https://songs.example/a?b=c#d'))).toBe('https://songs.example/a?b=c');
});

test('lists are recognized by their extension', () => {
  const may = ['a.m3u', 'a.M3U8', 'a.pls?x=1', 'a.xspf', 'a.mp3', 'm3u', 'a.m3u/b'].map((path) =>
    canBeList(new URL(path, 'https://songs.example/')),
  );
  expect(may).toEqual([true, true, true, true, false, false, false]);
});

test('a shared link is found in every field', () => {
  expect(findSharedLinks({ url: 'https://songs.example/1' })).toEqual(['https://songs.example/1']);
  expect(findSharedLinks({ url: '', text: 'Listen to this: https://songs.example/2.', title: 'A song' })).toEqual([
    'https://songs.example/2',
  ]);
  expect(findSharedLinks({ text: null, title: '“x” (https://songs.example/3)' })).toEqual(['https://songs.example/3']);
  const bracket = 'https://songs.example/Blue_(song)';
  for (const text of [bracket, `(${bracket})`, `Hear “${bracket}”, it is good`, `(hear ${bracket}).`])
    expect(findSharedLinks({ text })).toEqual([bracket]);
  expect(findSharedLinks({ text: 'http:// and https://ann:pw@songs.example/ are none' })).toEqual([]);
  expect(findSharedLinks({ text: 'songs.example/1 and songs.example/2' })).toHaveLength(2);
  expect(findSharedLinks({})).toEqual([]);
});

const A = 'https://songs.example/watch?v=a_';
const B = 'https://songs.example/b';
test.each<readonly [text: string, ...links: string[]]>([
  ['songs.example/watch?v=a_', A],
  ['www.songs.example/b', 'https://www.songs.example/b'],
  ['www.songs.example', 'https://www.songs.example/'],
  ['songs.example', 'https://songs.example/'],
  ['//songs.example/b', B],
  ['SONGS.EXAMPLE/b', B],
  [`listen to ${A}, it is good`, A],
  [`Look: songs.example/watch?v=a_!`, A],
  [`A song:${A}`, A],
  [`${A}\n${B}`, A, B],
  [`${A}\r\n\r\n${B}\t`, A, B],
  [`${A} ${B}`, A, B],
  [`${A},${B}`, A, B],
  [`${A};songs.example/b`, A, B],
  [`${A}, ${B}.`, A, B],
  [`${A}${B}`, A, B],
  [`${A} and again ${A}`, A],
  [`${A}#t=3 ${A}#t=9`, `${A}#t=3`],
  [`songs.example/b https://songs.example/b`, B],
  [`(${A})`, A],
  [`[${A}]`, A],
  [`<${A}>`, A],
  [`"${A}"`, A],
  [`'${A}'`, A],
  [`‘${A}’`, A],
  [`„${A}“`, A],
  [`「${A}」。`, A],
  [`听这个：${A}，很好`, A],
  [`${A}…`, A],
  [`${A}...`, A],
  [`**${A}**`, A],
  [`_${B}_`, B],
  [`~~${B}~~`, B],
  [`\`${A}\``, A],
  [`[a song](${A})`, A],
  [`[a song](${A} "title"), [other](${B}).`, A, B],
  [`[${A}](${A})`, A],
  [`[songs.example/b](${B})`, B],
  [`![x](${A})`, A],
  [`- ${A}\n- [ ] ${B}\n* ${A}`, A, B],
  [`1. ${A}\n2) ${B}`, A, B],
  [`[1]: ${A}`, A],
  [`<a href="${A}">${A}</a><br><a href='${B}'>b</a>`, A, B],
  ['https://songs.example/x?a=1&amp;b=2', 'https://songs.example/x?a=1&b=2'],
  [`{"url":"https:\\/\\/songs.example\\/b"}`, B],
  [`[url]${A}[/url] [url=${B}]b[/url]`, A, B],
  [`<${A}|a song>`, A],
  ['(see https://songs.example/Blue_(song)).', 'https://songs.example/Blue_(song)'],
  ['https://songs.example/web/2020/https://other.example/b', 'https://songs.example/web/2020/https://other.example/b'],
  ['https://songs.example/?u=https://other.example/b', 'https://songs.example/?u=https://other.example/b'],
  [`\u200b${A}\u200b \ufeff${B}`, A, B],
  ['https://[2001:db8::1]/a', 'https://[2001:db8::1]/a'],
])('every link in a text is found: %j', (text, ...links) => {
  expect(findLinks(text).map(({ href }) => href)).toEqual(links);
});

test.each([
  '',
  'a song by nobody',
  'e.g. this and that',
  'song.mp3 and other.flac',
  'mail ann@songs.example/x',
  'ytsearch:five songs',
  'file:///etc/passwd',
  'ftp://songs.example/a.mp3',
  'javascript:alert(1)',
  '--exec=touch /tmp/x',
  'https://ann:pw@songs.example/',
  'and/or 1/2 a.b',
])('a text without a link has none: %j', (text) => {
  expect(findLinks(text)).toEqual([]);
});

test('every link of any combination is found once and in order', () => {
  const link = fc.nat({ max: 50 }).map((id) => `https://songs.example/watch?v=${id}`);
  const between = fc.constantFrom(' ', '\n', ', ', ',', ' and ', '; ', '\r\n- ', ') (', '" "', ' | ');
  fc.assert(
    fc.property(fc.array(fc.tuple(link, between), { minLength: 1, maxLength: 8 }), (parts) => {
      const text = parts.flat().join('');
      expect(findLinks(text).map(({ href }) => href)).toEqual([...new Set(parts.map(([one]) => one))]);
    }),
  );
});

test('a found link is found again in itself', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const { href } of findLinks(`https://songs.example/${text}`)) expect(parseLink(href)?.href).toBe(href);
    }),
  );
});
