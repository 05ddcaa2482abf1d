import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFakeMac, type FakeMac } from '#testing/kits/desktop/mac.ts';
import { ASCII, createCharacters, SIX_HUNDRED_CHARACTERS } from '#testing/kits/desktop/sampleTexts.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { DesktopSession } from '../desktopSession.ts';
import { createMacReleaser } from './releaser.ts';
import { openMacSession } from './session.ts';

const skipReason = getSkipReason('gcc');

const TEXTS = [
  ASCII,
  createCharacters(0xa0, 96),
  'Grüße, "мир" — 你好 👋 안녕하세요 こんにちは',
  '👨‍👩‍👧‍👦🇩🇪👍🏽𝑎é',
  'two\nlines\tand a tab\n',
  SIX_HUNDRED_CHARACTERS,
  'x'.repeat(200),
];

/** Returns the last position of the mouse that was posted. */
function takePosition(mac: FakeMac): readonly number[] {
  const [, x, y] = /x=(\S+) y=(\S+)/.exec(mac.takeLog().at(-1) ?? '') ?? [];
  return [Number(x), Number(y)];
}
/** After this time the driver asks where the pointer is. */
const forgetPosition = (): Promise<void> => sleep(300);

describe.skipIf(skipReason)(`input on macOS, as fakes${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let mac: FakeMac;
  let session: DesktopSession;
  const heldPath = (): string => join(mac.folder, 'held.json');
  const open = (): Promise<DesktopSession> =>
    openMacSession({ env: {}, heldPath: heldPath(), libraries: mac.libraries });

  beforeAll(async () => {
    mac = createFakeMac();
    mac.fakes.fake_set_front(500);
    session = await open();
    mac.takeLog();
  });
  afterAll(async () => {
    await session?.[Symbol.asyncDispose]();
    mac?.[Symbol.dispose]();
  });

  describe('keyboard', () => {
    test('every text arrives exactly, at most 20 units at a time, and nothing leaks', async () => {
      const liveCount = mac.countLiveObjects();
      for (const text of TEXTS) {
        expect(await session.keyboard.type(text)).toEqual({ dropped: [] });
        expect(mac.takeDocument()).toBe(text);
      }
      expect(mac.countLiveObjects()).toBe(liveCount);
      expect(mac.takeLog().filter((line) => line.includes('FAULT'))).toEqual([]);
    });

    test('a text is one event down and one up, without source and flags', async () => {
      await session.keyboard.type('Hé👋');
      expect(mac.takeLog()).toEqual([
        'key tap=0 code=0 down=1 flags=0x0 source=0 text=Hé👋',
        'key tap=0 code=0 down=0 flags=0x0 source=0 text=Hé👋',
      ]);
    });

    test('200 characters are ten events down and up', async () => {
      mac.takeLog();
      await session.keyboard.type('y'.repeat(200));
      expect(mac.takeLog()).toHaveLength(20);
    });

    test('control characters are named, the progress is reported, and line breaks are presses of Return', async () => {
      let progressCount = 0;
      expect(await session.keyboard.type(`a\u0007\n${'b'.repeat(500)}`, () => void (progressCount += 1))).toEqual({
        dropped: ['\u0007'],
      });
      expect(progressCount).toBeGreaterThan(2);
      expect(mac.takeLog()).toContain('key tap=0 code=36 down=1 flags=0x0 source=1 text=');
    });

    test('typing ends with a sentence when another application comes to the front', async () => {
      const typing = session.keyboard.type('z'.repeat(2000));
      setTimeout(() => mac.fakes.fake_set_front(501), 20);
      await expect(typing).rejects.toThrow('Another window took the focus');
      expect(mac.takeDocument().length).toBeLessThan(2000);
      mac.fakes.fake_set_front(500);
    });

    test('a shortcut is pressed in order and released in reverse, with its flags in each event', async () => {
      mac.takeLog();
      await session.keyboard.press(['Gui', 'Shift', 'z']);
      expect(mac.takeLog()).toEqual([
        'key tap=0 code=55 down=1 flags=0x100000 source=1 text=',
        'key tap=0 code=56 down=1 flags=0x120000 source=1 text=',
        'key tap=0 code=6 down=1 flags=0x120000 source=1 text=',
        'key tap=0 code=6 down=0 flags=0x120000 source=1 text=',
        'key tap=0 code=56 down=0 flags=0x100000 source=1 text=',
        'key tap=0 code=55 down=0 flags=0x0 source=1 text=',
      ]);
      expect(JSON.parse(readFileSync(heldPath(), 'utf8'))).toMatchObject({ display: 'macOS', held: [] });
    });

    test.each([
      ['de', ['Ctrl', 'z'], 16, '0x40000'],
      ['de', ['Gui', '/'], 26, '0x120000'],
      ['de', ['Gui', '@'], 37, '0x180000'],
      ['us', ['Ctrl', 'Left'], 123, '0xa40000'],
      ['us', ['F5'], 96, '0x800000'],
      ['ru', ['Gui', 'c'], 8, '0x100000'],
      ['ru', ['Ctrl', 'c'], 8, '0x40000'],
      ['ru', ['Gui', 'ц'], 13, '0x100000'],
      ['', ['Gui', 'v'], 9, '0x100000'],
    ])('with layout %s, %j is key %d', async (layout, keys, code, flags) => {
      mac.fakes.fake_set_layout(layout);
      const liveCount = mac.countLiveObjects();
      mac.takeLog();
      await session.keyboard.press(keys);
      mac.fakes.fake_set_layout('us');
      expect(mac.takeLog()).toContain(`key tap=0 code=${code} down=1 flags=${flags} source=1 text=`);
      expect(mac.countLiveObjects()).toBe(liveCount);
    });

    test('media keys are events of the system', async () => {
      await session.keyboard.press(['VolumeUp']);
      await session.keyboard.press(['Play']);
      expect(mac.takeLog()).toEqual([
        'system tap=0 type=14 subtype=8 data1=0xa00 data2=-1 flags=0xa00',
        'system tap=0 type=14 subtype=8 data1=0xb00 data2=-1 flags=0xb00',
        'system tap=0 type=14 subtype=8 data1=0x100a00 data2=-1 flags=0xa00',
        'system tap=0 type=14 subtype=8 data1=0x100b00 data2=-1 flags=0xb00',
      ]);
      expect(mac.fakes.fake_get_pool_depth()).toBe(0);
    });

    test('keys that a Mac lacks are refused, and nothing is pressed', async () => {
      await expect(session.keyboard.press(['Gui', 'MicMute'])).rejects.toThrow("no key 'MicMute'");
      await expect(session.keyboard.press(['CapsLock'])).rejects.toThrow("can't be sent to a Mac");
      expect(mac.takeLog()).toEqual([]);
    });

    test('modifiers that are held for the mouse are in its events, and typing releases them', async () => {
      await session.keyboard.holdModifiers(['Shift', 'Gui']);
      session.mouse.move(1, 0);
      expect(mac.takeLog().at(-1)).toContain('flags=0x120000');
      expect(JSON.parse(readFileSync(heldPath(), 'utf8'))).toMatchObject({ held: ['k56', 'k55'] });
      await session.keyboard.type('a');
      expect(mac.takeLog().slice(0, 2)).toEqual([
        'key tap=0 code=55 down=0 flags=0x20000 source=1 text=',
        'key tap=0 code=56 down=0 flags=0x0 source=1 text=',
      ]);
    });
  });

  describe('mouse', () => {
    test('it moves from where the pointer is, and follows what the user does with it', async () => {
      await forgetPosition();
      mac.fakes.fake_set_pointer(200, 300);
      session.mouse.move(50, -20);
      expect(mac.takeLog()).toEqual([
        'mouse tap=0 type=5 x=250 y=280 button=0 flags=0x0 source=1 field4=50 field5=-20',
      ]);
      session.mouse.move(1, 1);
      expect(takePosition(mac)).toEqual([251, 281]);
      mac.fakes.fake_set_pointer(10, 10);
      await forgetPosition();
      session.mouse.move(1, 1);
      expect(takePosition(mac)).toEqual([11, 11]);
    });

    test('it ends at the edges of the screens, and passes from one to the next', async () => {
      session.mouse.move(-500, 50);
      expect(takePosition(mac)).toEqual([0, 61]);
      session.mouse.move(5000, 5000);
      expect(takePosition(mac)).toEqual([1439, 899]);
      mac.fakes.fake_set_screen(1, 1440, 0, 800, 600);
      session.mouse.move(0, -500);
      session.mouse.move(100, 0);
      expect(takePosition(mac)).toEqual([1539, 399]);
      session.mouse.centre();
      expect(mac.takeLog()).toEqual(['warp x=720 y=450', 'mouse tap=0 type=5 x=720 y=450 button=0 flags=0x0 source=1']);
      mac.fakes.fake_set_screen(1, 0, 0, 0, 0);
    });

    test('clicks are counted, and moves with a button are drags', () => {
      const click = (): void => {
        session.mouse.button('left', true);
        session.mouse.button('left', false);
      };
      click();
      click();
      session.mouse.button('right', true);
      session.mouse.move(3, 0);
      session.mouse.button('right', false);
      session.mouse.button('middle', true);
      session.mouse.button('middle', false);
      const events = mac.takeLog().map((line) => /type=(\d+) .*button=(\d)(?:.*field1=(\d))?/.exec(line)?.slice(1));
      expect(events).toEqual([
        ['1', '0', '1'],
        ['2', '0', '1'],
        ['1', '0', '2'],
        ['2', '0', '2'],
        ['3', '1', '1'],
        ['7', '1', undefined],
        ['4', '1', '1'],
        ['25', '2', '1'],
        ['26', '2', '1'],
      ]);
    });

    test('the wheel turns by lines, down and to the right', () => {
      session.mouse.wheel(1, -2);
      expect(mac.takeLog()).toEqual(['wheel tap=0 unit=1 count=2 one=6 two=-3 three=0 flags=0x0']);
    });

    test('what is held is released at the end, by the guardian, and by the next agent', async () => {
      session.mouse.button('left', true);
      await session.mouse.releaseAll();
      expect(mac.takeLog().at(-1)).toContain('mouse tap=0 type=2');
      createMacReleaser(mac.libraries)(['k55', 'b2']);
      expect(mac.takeLog().filter((line) => !line.startsWith('CGEventSourceCreate'))).toEqual([
        'key tap=0 code=55 down=0 flags=0x0 source=1 text=',
        expect.stringContaining('mouse tap=0 type=4'),
      ]);
      writeFileSync(heldPath(), JSON.stringify({ display: 'macOS', held: ['k56'], scratch: [] }));
      await using _next = await open();
      expect(mac.takeLog()).toContain('key tap=0 code=56 down=0 flags=0x0 source=1 text=');
    });
  });
});
