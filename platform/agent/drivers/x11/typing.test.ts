import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSink, startDesktop, type Desktop, type Sink } from '#testing/desktop.ts';
import { lacks } from '#testing/machine.ts';
import { readLeftovers } from '../holding.ts';
import { openDesktop, type XDesktop } from './desktop.ts';
import { REUSE_MS } from './scratch.ts';
import { readKeyboard } from './state.ts';

const lack = lacks('Xvfb', 'openbox', 'xterm', 'setxkbmap');
const from = (first: number, count: number, step = 1): string =>
  Array.from({ length: count }, (_, index) => String.fromCodePoint(first + index * step)).join('');

const ASCII = from(0x20, 95);
const LATIN1 = from(0xa1, 95);
const TEXTS: readonly (readonly [string, string])[] = [
  ['all of ASCII', ASCII],
  ['accents and umlauts', 'Grüße, "мир" — 你好 👋 àéîõü ÀÉÎÕÜ ß €'],
  ['Greek and Cyrillic', 'αβγδε ΩΨ Привет, ёжик'],
  ['Chinese, Japanese and Korean', '你好世界 こんにちは 안녕하세요'],
  ['emoji with skin tones, families and flags', '👍🏽 👩‍👩‍👧 🇫🇷🇩🇪 ❤️'],
  ['combining marks', 'é ñ ạ̈'],
  ['newlines and tabs', 'a\tb\nc\n'],
];

describe.skipIf(lack)(`typing on X11${lack === undefined ? '' : `: ${lack}`}`, () => {
  let desk: Desktop;
  let sink: Sink;
  let agent: XDesktop;
  let folder: string;
  const heldPath = (): string => join(folder, 'held.json');

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pegboard-typing-'));
    desk = await startDesktop();
    sink = await openSink(desk);
    agent = await openDesktop({ display: desk.name, heldPath: heldPath() });
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await sink[Symbol.asyncDispose]();
    await desk[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    desk.setLayout('us');
    sink.clear();
  });

  const typeAndRead = async (text: string): Promise<void> => {
    sink.clear();
    expect(await agent.keyboard.type(text)).toEqual({ dropped: [] });
    await sink.until(text.replaceAll('\n', '\r'));
  };

  describe.each(['us', 'fr', 'de', 'ru', 'us,fr', 'us,ru'])('with layout %s', (layout) => {
    test.each(TEXTS)('%s arrives exactly', async (_, text) => {
      desk.setLayout(layout);
      await typeAndRead(text);
    });
  });

  test('every character of Latin-1 arrives exactly', async () => {
    await typeAndRead(LATIN1);
  });

  test('forty characters that the layout has not arrive exactly, over several waves', async () => {
    await typeAndRead(from(0x4e00, 40, 7));
  });

  test.each(['us,fr', 'us,ru', 'de,us'])(
    'the second layout of %s is typed as exactly while it is the active one',
    async (layout) => {
      desk.setLayout(layout);
      await desk.setGroup(1);
      expect((await readKeyboard(desk.display)).group).toBe(1);
      await typeAndRead('Azerty QWERTZ 123 @#é, "мир" — 你好 👋');
      await desk.setGroup(0);
      await typeAndRead('Azerty QWERTZ 123 @#é, "мир" — 你好 👋');
    },
  );

  test('a third layout is typed as exactly, though the map has no place for it', async () => {
    desk.setLayout('us,fr,ru');
    await desk.setGroup(2);
    await typeAndRead('Abc мир @');
    await desk.setGroup(0);
  });

  test('a change of the layout while running is noticed', async () => {
    await typeAndRead('zyx @ #');
    desk.setLayout('de');
    await typeAndRead('zyx @ # ä');
  });

  test('Caps Lock changes nothing and stays on', async () => {
    const capsLock = 66;
    desk.display.fakeKey(capsLock, true);
    desk.display.fakeKey(capsLock, false);
    await desk.display.sync();
    await typeAndRead('Abc ÄÖ мир 1!');
    expect((await readKeyboard(desk.display)).isCapsLocked).toBe(true);
    desk.display.fakeKey(capsLock, true);
    desk.display.fakeKey(capsLock, false);
    await desk.display.sync();
  });

  test('Num Lock changes nothing', async () => {
    const numLock = 77;
    desk.display.fakeKey(numLock, true);
    desk.display.fakeKey(numLock, false);
    await desk.display.sync();
    await typeAndRead('Abc 123 ё');
    desk.display.fakeKey(numLock, true);
    desk.display.fakeKey(numLock, false);
    await desk.display.sync();
  });

  test.each([
    ['Shift', 50],
    ['Ctrl', 37],
    ['Alt', 64],
  ])('a %s that somebody holds is let go before, and is not pressed again', async (_, keycode) => {
    desk.display.fakeKey(keycode, true);
    await desk.display.sync();
    await typeAndRead('abc дом');
    expect(await desk.keysDown()).toEqual([]);
  });

  test('what no key can type is named and the rest is typed', async () => {
    const typed = await agent.keyboard.type('a\u0007b\ud800c\u007fd');
    expect(typed.dropped).toEqual(['\u0007', '\ud800', '\u007f']);
    await sink.until('abcd');
  });

  test('texts that come together are typed one after the other', async () => {
    await Promise.all(['eins ', 'два ', '三 ', 'four'].map((text) => agent.keyboard.type(text)));
    await sink.until('eins два 三 four');
  });

  test('a character is not given up for another before its reader had time to ask for it', async () => {
    const first = from(0x3041, 18);
    const second = from(0x30a1, 18);
    const began = performance.now();
    await agent.keyboard.type(first);
    await agent.keyboard.type(second);
    await sink.until(first + second);
    expect(performance.now() - began).toBeGreaterThanOrEqual(REUSE_MS);
  });

  test('the keycodes that were lent are free again at the end, and after an end by force at the next start', async () => {
    const free = async (): Promise<number> =>
      (await readKeyboard(desk.display)).rows.filter((row) => row.every((keysym) => keysym === 0)).length;
    const before = await free();
    const path = join(folder, 'other.json');
    const polite = await openDesktop({ display: desk.name, heldPath: path });
    await polite.keyboard.type('ელენე');
    expect(await free()).toBeLessThan(before);
    await polite[Symbol.asyncDispose]();
    expect(await free()).toBe(before);

    const killed = await openDesktop({ display: desk.name, heldPath: path });
    await killed.keyboard.type('ელენე');
    expect(readLeftovers(path)?.scratch).not.toEqual([]);
    const next = await openDesktop({ display: desk.name, heldPath: path });
    await desk.display.sync();
    expect(await free()).toBe(before);
    await next[Symbol.asyncDispose]();
    await killed[Symbol.asyncDispose]();
  });
});
