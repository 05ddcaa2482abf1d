import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  openInputRecorder,
  startDesktop,
  type TestDesktop,
  type InputRecorder,
} from '#testing/kits/desktop/desktop.ts';
import { getSkipReason } from '#testing/machine.ts';
import { keyGroups, keyNames } from '#tools/remote/domain/keys.ts';
import { MAX_HOLD_MS, readLeftovers } from '../heldInputs.ts';
import { getKeysymByHotkey, getKeysymByKey } from '../keysyms.ts';
import { openXDesktop, type XDesktop } from './desktop.ts';
import { readKeyboard } from './keyboardLayout.ts';
import { openXkb, type Xkb } from './xkb.ts';

test('every key of the product has a keysym, and no two share one', () => {
  const keysyms = keyNames.map(getKeysymByHotkey);
  expect(keysyms).not.toContain(undefined);
  expect(new Set(keysyms).size).toBe(keyNames.length);
  expect(getKeysymByKey('Hyper')).toBeUndefined();
  expect(getKeysymByKey('constructor')).toBeUndefined();
});

const skipReason = getSkipReason('Xvfb', 'openbox', 'setxkbmap');

describe.skipIf(skipReason)(`keys and buttons on X11${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let desk: TestDesktop;
  let recorder: InputRecorder;
  let agent: XDesktop;
  let folder: string;
  let xkb: Xkb;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pegboard-keys-'));
    desk = await startDesktop();
    xkb = await openXkb(desk.display);
    recorder = await openInputRecorder(desk);
    agent = await openXDesktop({ display: desk.name, heldPath: join(folder, 'held.json') });
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await recorder?.[Symbol.asyncDispose]();
    await desk?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    desk.setLayout('us');
    await recorder.focus();
    recorder.clear();
  });

  test('Ctrl-Alt-T is pressed in order and released in reverse', async () => {
    await agent.keyboard.press(['Ctrl', 'Alt', 't']);
    await recorder.waitFor('the chord is released', (seen) => seen.length >= 6);
    expect(recorder.listSeen()).toEqual(['+37/0', '+64/4', '+28/12', '-28/12', '-64/12', '-37/4']);
  });

  test('the key of a shortcut does not repeat, however busy the agent is', async () => {
    // The agent is in this process. The X server repeats a key after 660 ms.
    recorder.onFirst(() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500));
    await agent.keyboard.press(['Ctrl', 'm']);
    await recorder.waitFor('the chord is released', (seen) => seen.some((event) => event.startsWith('-37')));
    expect(recorder.listSeen()).toEqual(['+37/0', '+58/4', '-58/4', '-37/4']);
  });

  test.each(keyNames)('%s is pressed and released', async (key) => {
    await agent.keyboard.press([key]);
    const { rows, minKeycode } = await readKeyboard(desk.display);
    const keysym = getKeysymByHotkey(key) ?? 0;
    // The window manager uses none of these itself.
    await recorder.waitFor(`${key} arrives`, (seen) => seen.some((event) => event.startsWith('-')));
    // A character on the shifted level is pressed with Shift.
    const keycodes = recorder.listSeen().flatMap((event) => /^\+(\d+)/.exec(event)?.[1] ?? []);
    expect(rows[Number(keycodes.at(-1)) - minKeycode]).toContain(keysym);
    expect(await desk.listKeysDown()).toEqual([]);
    xkb.unlock();
  });

  test('a letter that the layout lacks is pressed too', async () => {
    desk.setLayout('ru');
    await agent.keyboard.press(['Ctrl', 't']);
    await recorder.waitFor('the chord is released', (seen) => seen.length >= 4);
    const { rows, minKeycode } = await readKeyboard(desk.display);
    const keycode = Number(/^\+(\d+)/.exec(recorder.listSeen()[1] ?? '')?.[1]);
    expect(rows[keycode - minKeycode]?.[0]).toBe(getKeysymByKey('t'));
  });

  test('with two layouts, the key of the one that has the letter is pressed, as the desktop’s shortcuts are bound to it', async () => {
    desk.setLayout('ru,us');
    await agent.keyboard.press(['Ctrl', 't']);
    await recorder.waitFor('the chord is released', (seen) => seen.length >= 4);
    expect(recorder.listSeen()[1]).toMatch(/^\+28\//);
  });

  test.each(keyGroups.functions)('Ctrl-Alt-%s belongs to the system and is refused', async (key) => {
    await expect(agent.keyboard.press(['Ctrl', 'Alt', key])).rejects.toThrow(
      'is reserved by the system of that computer',
    );
    expect(recorder.listSeen()).toEqual([]);
  });

  test('an unknown key is refused and nothing is pressed', async () => {
    await expect(agent.keyboard.press(['Ctrl', 'Hyper'])).rejects.toThrow("no key 'Hyper'");
    expect(recorder.listSeen()).toEqual([]);
  });

  test('the pointer moves by whole pixels', async () => {
    await recorder.centrePointer();
    const before = await recorder.getPointer();
    agent.mouse.move(30, -20);
    agent.mouse.move(5, 5);
    await agent.releaseAll();
    const after = await recorder.getPointer();
    expect([after.x - before.x, after.y - before.y]).toEqual([35, -15]);
  });

  test('buttons and wheel arrive', async () => {
    await recorder.centrePointer();
    agent.mouse.button('left', true);
    agent.mouse.button('left', false);
    agent.mouse.button('right', true);
    agent.mouse.button('right', false);
    agent.mouse.wheel(1, -2);
    await recorder.waitFor('all events arrive', (seen) => seen.length >= 10);
    expect(recorder.listSeen().map((event) => event.split('/')[0])).toEqual([
      'b+1',
      'b-1',
      'b+3',
      'b-3',
      'b+4',
      'b-4',
      'b+4',
      'b-4',
      'b+7',
      'b-7',
    ]);
  });

  test('a held button is released on demand, and the file names held inputs meanwhile', async () => {
    await recorder.centrePointer();
    agent.mouse.button('left', true);
    expect(readLeftovers(join(folder, 'held.json'))?.held).toEqual(['b1']);
    await agent.releaseAll();
    await recorder.waitFor('the button is released', (seen) => seen.some((event) => event.startsWith('b-1')));
    expect(readLeftovers(join(folder, 'held.json'))?.held).toEqual([]);
  });

  test(
    'nothing is held longer than ten seconds',
    async () => {
      await recorder.centrePointer();
      agent.mouse.button('left', true);
      await recorder.waitFor('the button is released', (seen) => seen.some((event) => event.startsWith('b-1')));
    },
    MAX_HOLD_MS * 3,
  );
});
