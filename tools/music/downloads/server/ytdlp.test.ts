import { expect, test } from 'vitest';
import { getCommonArguments, supportsRuntimes } from './ytdlp.ts';

const getArguments = (version: string) =>
  getCommonArguments('http://127.0.0.1:1', version).filter((one) => /plugin|runtime/.test(one));

test('a new yt-dlp gets the path of a JavaScript runtime and ignores plug-ins; an old one has neither option', () => {
  expect(getArguments('2025.11.12')).toEqual(['--no-plugin-dirs', `--js-runtimes=node:${process.execPath}`]);
  expect(getArguments('2026.01.02.030405')).toHaveLength(2);
  expect(getArguments('2023.03.04')).toEqual([]);
  expect(['2025.11.11', ''].map(supportsRuntimes)).toEqual([false, false]);
});

test('cookies, plug-ins and options of the operator come last, so that they take precedence', () => {
  const options = { args: ['--proxy=socks5://10.0.0.1:1080'], plugins: '/opt/plugins', cookies: 'cookies.txt' };
  expect(getCommonArguments('http://127.0.0.1:1', '2025.11.12', options).slice(-5)).toEqual([
    '--no-plugin-dirs',
    `--js-runtimes=node:${process.execPath}`,
    '--plugin-dirs=/opt/plugins',
    '--cookies=cookies.txt',
    '--proxy=socks5://10.0.0.1:1080',
  ]);
  expect(getCommonArguments('http://127.0.0.1:1', '2023.03.04', options).join(' ')).not.toContain('plugin');
});

test('no configuration of the user is read, and the proxy is the only access to the network', () => {
  for (const version of ['2023.03.04', '2025.11.12']) {
    const all = getCommonArguments('http://127.0.0.1:4711', version);
    expect(all).toEqual(
      expect.arrayContaining([
        '--ignore-config',
        '--no-cache-dir',
        '--proxy=http://127.0.0.1:4711',
        '--no-mark-watched',
      ]),
    );
    expect(all.join(' ')).not.toMatch(/cookie|netrc|exec|--proxy=(?!http:\/\/127)/);
  }
});
