import { expect, test } from 'vitest';
import { parseYtdlpArgs } from './musicSettings.ts';

test('allowed options are returned one by one, quoted or not', () => {
  expect(
    parseYtdlpArgs(
      `--extractor-args "youtube:player_client=web;po_token=web.gvs+abc def" -r 2M --proxy=socks5://10.0.0.1:1080 --impersonate 'chrome-124' -4`,
    ),
  ).toEqual([
    '--extractor-args=youtube:player_client=web;po_token=web.gvs+abc def',
    '--limit-rate=2M',
    '--proxy=socks5://10.0.0.1:1080',
    '--impersonate=chrome-124',
    '--force-ipv4',
  ]);
  expect(parseYtdlpArgs('  ')).toEqual([]);
});

test.each([
  '--exec "touch /tmp/x"',
  '--config-locations /etc/x',
  '-o /tmp/x',
  '--cookies /root/c.txt',
  '--cookies-from-browser firefox',
  '--plugin-dirs /tmp',
  '--downloader curl',
  '--load-info-json x',
  '--enable-file-urls',
  '--ffmpeg-location /x',
  '--extractor-args',
  '--extractor-args nothing',
  '--proxy file:///etc/passwd',
  '--limit-rate lots',
  '--force-ipv4=1',
  'https://songs.example/',
  '--proxy "http://x',
  '-- x',
])('other options and invalid values are refused: %s', (text) => {
  expect(() => parseYtdlpArgs(text)).toThrow();
});

test.each([
  '--extractor-args youtube:po_token=web.gvs abc+SECRET',
  '--proxy http://songs.example SECRET',
  '--proxy http://songs.example --SECRET=1',
  '--proxy SECRET',
  '--proxy=SECRET',
  '-p SECRET',
  '--user-agent Mozilla (SECRET)',
  '"--proxy SECRET"',
  `--proxy "http://SECRET`,
  '--force-ipv4=SECRET',
])('a refused word is not logged: %s', (text) => {
  expect(() => parseYtdlpArgs(text)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('SECRET') }),
  );
});
