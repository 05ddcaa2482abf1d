import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeList, isLiveManifest, parseList } from './plainList.ts';

const BASE = 'https://songs.example/lists/mine.m3u';
const parse = (text: string) => parseList(text, BASE);

test('an extended M3U gives titles and addresses, absolute and relative ones', () => {
  expect(
    parse(
      '\u{feff}#EXTM3U\r\n#EXTINF:180,Somebody - One, two\r\nhttps://a.example/1.mp3\r\n\r\n#PLAYLIST:x\r\n2.mp3\r\n/3.mp3\r\n',
    ),
  ).toEqual([
    { title: 'Somebody - One, two', url: 'https://a.example/1.mp3' },
    { title: '', url: 'https://songs.example/lists/2.mp3' },
    { title: '', url: 'https://songs.example/3.mp3' },
  ]);
});

test('IPTV lists, old line endings and other scripts are supported', () => {
  const entry = '#EXTINF:-1 tvg-name="One, two" group-title="A, B",Radio "X", live';
  const expected = [{ title: 'Radio "X", live', url: 'http://a.example/1' }];
  expect(parse(`#EXTM3U\n${entry}\nhttp://a.example/1\n`)).toEqual(expected);
  expect(parse(`#EXTM3U x-tvg-url="y"\r${entry}\rhttp://a.example/1\r`)).toEqual(expected);
  expect(parse(`#extm3u\n${entry.replace('#EXTINF', '#extinf')}\nhttp://a.example/1\n`)).toEqual(expected);
  expect(parse('#EXTM3U\n#EXTINF:1 a="open,Title\nhttp://a.example/1')).toMatchObject([{ title: 'Title' }]);
});

test('an XSPF file with prefixed names is read', () => {
  const track = '<x:track><x:title>One</x:title><x:location>http://a.example/1</x:location></x:track>';
  expect(parse(`<x:playlist xmlns:x="http://xspf.org/ns/0/"><x:trackList>${track}</x:trackList></x:playlist>`)).toEqual(
    [{ title: 'One', url: 'http://a.example/1' }],
  );
});

test('a text that consists of addresses is a list', () => {
  expect(parse('# a comment\nhttp://a.example/1\nhttp://a.example/2\n')?.map(({ url }) => url)).toEqual([
    'http://a.example/1',
    'http://a.example/2',
  ]);
});

test('stream manifests and other texts are not lists', () => {
  for (const text of [
    '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9,\npart1.ts\n',
    '<!doctype html><title>playlist</title>',
    '{"a": 1}',
    'just words',
    '',
  ])
    expect(parse(text)).toBeUndefined();
});

test('a manifest shows whether its stream is complete, and a list of streams does not', () => {
  const parts = '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9,\npart1.ts\n';
  expect(
    [parts, `${parts}#EXT-X-ENDLIST\n`, parts.replace('#EXTINF', '#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF')].map(
      isLiveManifest,
    ),
  ).toEqual([true, false, false]);
  expect(isLiveManifest(parts.replace('#EXTINF', '#EXT-X-PLAYLIST-TYPE:EVENT\n#EXTINF'))).toBe(true);
  expect(isLiveManifest('#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8\n')).toBe(false);
});

test('entries of a PLS file are sorted by number', () => {
  expect(
    parse(
      '[playlist]\nNumberOfEntries=3\nFile2=http://a.example/2\nTitle1=One\nfile1 = http://a.example/1\nFile10=x.mp3\n',
    ),
  ).toEqual([
    { title: 'One', url: 'http://a.example/1' },
    { title: '', url: 'http://a.example/2' },
    { title: '', url: 'https://songs.example/lists/x.mp3' },
  ]);
});

test('XSPF escapes are decoded, and tracks without an address are skipped', () => {
  expect(
    parse(`<?xml version="1.0"?><!-- x --><playlist version="1" xmlns="http://xspf.org/ns/0/"><title>All</title><trackList>
      <track><title>R&amp;B &#128075; &lt;1&gt;</title><location>http://a.example/?a=1&amp;b=2</location></track>
      <track><title>no address</title></track>
      <track><location><![CDATA[http://a.example/?c=1&d=2]]></location></track>
    </trackList></playlist>`),
  ).toEqual([
    { title: 'R&B 👋 <1>', url: 'http://a.example/?a=1&b=2' },
    { title: '', url: 'http://a.example/?c=1&d=2' },
  ]);
});

test('addresses outside of the web are skipped, and each address is listed once', () => {
  expect(
    parse(
      '#EXTM3U\nfile:///etc/passwd\nconcat:a|b\njavascript:alert(1)\nC:\\x.mp3\nhttp://a.example/1\nhttp://A.example/1\n',
    ),
  ).toEqual([{ title: '', url: 'http://a.example/1' }]);
});

test('no text causes an error or gives an address outside of the web', () => {
  const line = fc.oneof(
    fc.string().map((path) => `https://a.example/${path}`),
    fc.string(),
    fc.constantFrom('#EXTINF:1,x', 'File1=x', '<track>', '<location>', '</location>'),
  );
  fc.assert(
    fc.property(fc.constantFrom('#EXTM3U\n', '[playlist]\n', '<playlist>', ''), fc.array(line), (head, lines) => {
      for (const { url } of parse(head + lines.join('\n')) ?? []) expect(url).toMatch(/^https?:\/\//);
    }),
  );
});

test('a list that is designed to be slow is parsed quickly', () => {
  const text = `<playlist>${'<track><title>'.repeat(30_000)}`;
  expect(parse(text)).toEqual([]);
  expect(parse(`#EXTM3U\n${'x\n'.repeat(100_000)}`)).toHaveLength(1);
});

test('what other programs write before a playlist does not hide it', () => {
  const track = '<trackList><track><location>https://a.example/1</location></track></trackList>';
  for (const text of [
    '; Made by a radio\n# again\n[playlist]\nFile1=https://a.example/1\n',
    `<?xml version="1.0"?>\n<?xml-stylesheet href="x"?>\n<playlist>${track}</playlist>`,
    `<?xml version="1.0"?>\n<!-- Mine -->\n<!DOCTYPE playlist>\n<playlist>${track}</playlist>`,
  ])
    expect(parse(text)?.map(({ url }) => url)).toEqual(['https://a.example/1']);
});

test('a track in a comment is not listed, and of several locations one in the web is taken', () => {
  expect(
    parse(
      `<playlist><trackList><!-- <track><location>https://a.example/0</location></track> --><track><title><![CDATA[A <!-- B]]></title>
      <location>file:///home/me/1.mp3</location><location>https://a.example/1</location></track></trackList></playlist>`,
    ),
  ).toEqual([{ title: 'A <!-- B', url: 'https://a.example/1' }]);
});

test('addresses with spaces are a playlist too', () => {
  expect(parse('https://a.example/My song.mp3\nhttps://a.example/2.mp3\n')?.map(({ url }) => url)).toEqual([
    'https://a.example/My%20song.mp3',
    'https://a.example/2.mp3',
  ]);
});

test('playlists in UTF-16 and in the Western charset of old players have correct titles', () => {
  const text = '\ufeff#EXTM3U\n#EXTINF:1,Café\nhttps://a.example/1\n';
  const littleEndian = Buffer.from(text, 'utf16le');
  for (const bytes of [
    Buffer.from(text),
    littleEndian,
    Buffer.from(littleEndian).swap16(),
    Buffer.from(text.slice(1), 'latin1'),
  ])
    expect(parse(decodeList(bytes))).toEqual([{ title: 'Café', url: 'https://a.example/1' }]);
});
