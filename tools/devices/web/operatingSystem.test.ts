import { expect, test } from 'vitest';
import { detectOperatingSystem } from './operatingSystem.ts';

const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15';
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36';
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1';

const detect = (userAgent: string, platform?: string, maxTouchPoints = 0) =>
  detectOperatingSystem({ userAgent, platform, maxTouchPoints });

test('computers are recognised by the user agent', () => {
  expect([WINDOWS, MAC, LINUX].map((userAgent) => detect(userAgent))).toEqual(['windows', 'macos', 'linux']);
});

test('a Windows tablet with a touchscreen is a computer', () => expect(detect(WINDOWS, undefined, 10)).toBe('windows'));

test('the platform decides where a browser names it', () => {
  expect(detect(LINUX, 'Windows')).toBe('windows');
  expect(detect(WINDOWS, 'macOS')).toBe('macos');
  expect(detect(WINDOWS, 'Linux')).toBe('linux');
});

test('phones and tablets are no computers to pair', () => {
  expect(detect(ANDROID)).toBeUndefined();
  expect(detect(ANDROID, 'Android')).toBeUndefined();
  expect(detect(IPHONE, undefined, 5)).toBeUndefined();
  expect(detect(MAC, undefined, 5)).toBeUndefined();
});

test('a system that the agent does not know is not guessed', () => {
  expect(detect('Mozilla/5.0 (X11; CrOS x86_64 14541.0.0)', 'Chrome OS')).toBeUndefined();
  expect(detect('curl/8.0')).toBeUndefined();
});
