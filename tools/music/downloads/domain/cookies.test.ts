import { expect, test } from 'vitest';
import { selectCookies, parseCookies, listSiteNames } from './cookies.ts';

const formatCookie = (domain: string, name: string, expires = '2000000000'): string =>
  [domain, domain.startsWith('.') ? 'TRUE' : 'FALSE', '/', 'TRUE', expires, name, `secret-${name}`].join('\t');
const TEXT = [
  '# Netscape HTTP Cookie File',
  '',
  formatCookie('.youtube.com', 'SID'),
  `#HttpOnly_${formatCookie('.youtube.com', 'HSID')}`,
  formatCookie('accounts.youtube.com', 'A'),
  formatCookie('songs.example', 'S', '0'),
  formatCookie('.old.example', 'O', '1000'),
].join('\r\n');
const selectCookiesFor = (address: string) => selectCookies(parseCookies(TEXT), new URL(address), 1_800_000_000);
const getNames = (text: string | undefined) => [...(text ?? '').matchAll(/secret-(\w+)/g)].map(([, name]) => name);

test('a site only gets its own cookies', () => {
  expect(getNames(selectCookiesFor('https://www.youtube.com/watch?v=1'))).toEqual(['SID', 'HSID', 'A']);
  expect(getNames(selectCookiesFor('https://youtu.be/1'))).toEqual(['SID', 'HSID', 'A']);
  expect(getNames(selectCookiesFor('https://music.youtube.com/1'))).toEqual(['SID', 'HSID', 'A']);
  expect(getNames(selectCookiesFor('https://songs.example/x'))).toEqual(['S']);
  for (const other of [
    'https://evil-youtube.com/',
    'https://youtube.com.evil.example/',
    'https://example/',
    'https://old.example/',
  ])
    expect(selectCookiesFor(other)).toBeUndefined();
  expect(selectCookiesFor('https://songs.example/x')).toMatch(/^# Netscape HTTP Cookie File\n/);
});

test('sites are listed without their subdomains', () => {
  expect(listSiteNames(parseCookies(TEXT))).toEqual(['old.example', 'songs.example', 'youtube.com']);
});

test.each([
  ['', 'This file has no cookies'],
  ['# Netscape HTTP Cookie File\n', 'This file has no cookies'],
  ['[{"domain":".youtube.com"}]', 'This file is JSON'],
  [`${formatCookie('.youtube.com', 'A')}\nsecret without tabs`, 'Line 2 is not a cookie'],
  [formatCookie('com', 'A'), 'Line 1 is not a cookie'],
  [formatCookie('.you tube.com', 'A'), 'Line 1 is not a cookie'],
])('an invalid cookies.txt is refused without quoting it: %j', (text, sentence) => {
  const parse = () => parseCookies(text);
  expect(parse).toThrow(sentence);
  expect(parse).not.toThrow(/secret/);
});

test('an export of a whole browser is accepted, with this computer and with names in other scripts', () => {
  const text = ['localhost', '.пример.рф', '.youtube.com'].map((domain) => formatCookie(domain, 'a')).join('\n');
  expect(listSiteNames(parseCookies(text))).toEqual(['localhost', 'youtube.com', 'пример.рф']);
});
