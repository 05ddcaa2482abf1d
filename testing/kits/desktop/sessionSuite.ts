import { describe, expect, test } from 'vitest';
import type { DesktopSession } from '#platform/agent/drivers/desktopSession.ts';
import type { OpenWindow } from '#platform/agent/drivers/drivers.ts';
import { waitFor } from './desktop.ts';
import { PROSE, SAMPLE_TEXTS, SIX_HUNDRED_CHARACTERS } from './sampleTexts.ts';
import type { TextProgram, TextWindow } from './textWindow.ts';
import { KEY_CODES, tapKeys, type VirtualDesktop } from './virtualDesktop.ts';

/** A desktop, and the agent's drivers on it. */
export interface SessionUnderTest {
  readonly desktop: VirtualDesktop;
  readonly session: DesktopSession;
}

export interface SessionSuiteOptions {
  readonly layouts: readonly string[];
  /** Programs that take text. */
  readonly programs: readonly TextProgram[];
  /** Layouts for all programs; the others are used with the last program only. All by default. */
  readonly mainLayouts?: readonly string[];
  /** Whether it types characters that no layout has. */
  readonly canTypeAll?: boolean;
  /** Why it has no hotkeys, as the agent says it. */
  readonly noHotkeysReason?: string;
}

const CAPS_LOCK_OPTIONS = [
  'caps:escape',
  'caps:none',
  'caps:ctrl_modifier',
  'caps:shiftlock',
  'grp:caps_toggle',
  'compose:caps',
] as const;

/** Whether the agent sees this window. Some compositors don't report the process of a window. */
const isSame = (seen: OpenWindow | undefined, { child, application }: TextWindow): boolean =>
  seen !== undefined && (seen.pid === undefined ? seen.application === application : seen.pid === child.pid);

/** Opens a window, and waits until the agent knows that it has the focus. */
export async function openFocusedWindow(
  { desktop, session }: SessionUnderTest,
  program: TextProgram = 'gtk',
): Promise<TextWindow> {
  const window = await desktop.openTextWindow(program);
  await waitFor('the agent knows the focus', () => isSame(session.windows.getActive(), window));
  return window;
}

/** Types a text, and expects that all of it arrives but for the characters that are named as dropped; returns those. */
export async function typeAndRead(
  session: DesktopSession,
  window: TextWindow,
  text: string,
): Promise<readonly string[]> {
  window.clear();
  const { dropped } = await session.keyboard.type(text);
  const left = [...dropped];
  const typed = Array.from(text).filter((character) => {
    const index = left.indexOf(character);
    if (index !== -1) left.splice(index, 1);
    return index === -1;
  });
  await expect.poll(window.getText).toBe(typed.join(''));
  expect(left).toEqual([]);
  return dropped;
}

/** Defines the tests that hold on every desktop. They share one desktop, and leave its layout at 'us'. */
export function testSession(
  getSubject: () => SessionUnderTest,
  { layouts, programs, mainLayouts = layouts, canTypeAll = true, noHotkeysReason }: SessionSuiteOptions,
): void {
  /** Types a text that every layout has. */
  async function typePlain(window: TextWindow, text: string): Promise<void> {
    expect(await typeAndRead(getSubject().session, window, text)).toEqual([]);
  }

  test('is recognised, with everything that it can do', () => {
    const { desktop, session } = getSubject();
    expect(session.name).toBe(desktop.name);
    for (const { ability } of [session.keyboard, session.mouse, session.clipboard, session.windows])
      expect(ability).toEqual({ able: true });
  });

  describe.each(layouts)('with layout %s', (layout) => {
    const testedPrograms = mainLayouts.includes(layout) ? programs : programs.slice(-1);
    test.each(testedPrograms)(
      'every text arrives exactly in %s, but for characters that are named',
      async (program) => {
        const { desktop, session } = getSubject();
        await desktop.setLayout(layout);
        await using window = await openFocusedWindow(getSubject(), program);
        for (const [name, text] of SAMPLE_TEXTS) {
          const dropped = await typeAndRead(session, window, text);
          if (canTypeAll || text === PROSE || name === 'newlines and tabs') expect(dropped).toEqual([]);
        }
      },
    );

    test('shortcuts are those of the layout', async () => {
      const { desktop, session } = getSubject();
      await desktop.setLayout(layout);
      await using window = await openFocusedWindow(getSubject());
      await typeAndRead(session, window, 'cut me');
      await session.keyboard.press(['Ctrl', 'a']);
      await session.keyboard.press(['Ctrl', 'x']);
      await expect.poll(window.getText).toBe('');
      await session.keyboard.press(['Ctrl', 'v']);
      await expect.poll(window.getText).toBe('cut me');
    });
  });

  test('six hundred different characters arrive exactly, or all are named', async () => {
    const { desktop, session } = getSubject();
    await desktop.setLayout('us');
    await using window = await openFocusedWindow(getSubject());
    const dropped = await typeAndRead(session, window, SIX_HUNDRED_CHARACTERS);
    expect(dropped.join('')).toBe(canTypeAll ? '' : SIX_HUNDRED_CHARACTERS);
  });

  test('what no keyboard has is named, and the rest is typed', async () => {
    await using window = await openFocusedWindow(getSubject());
    expect(await typeAndRead(getSubject().session, window, 'a\u0007b')).toEqual(['\u0007']);
  });

  test('Caps Lock changes no text, and stays on', async () => {
    const { desktop } = getSubject();
    await using window = await openFocusedWindow(getSubject());
    await tapKeys(desktop, KEY_CODES.CapsLock);
    await typePlain(window, 'Hello World []');
    await typePlain(window, 'x');
    window.clear();
    await tapKeys(desktop, KEY_CODES.A);
    await expect.poll(window.getText).toBe('A');
    await tapKeys(desktop, KEY_CODES.CapsLock);
    window.clear();
    await tapKeys(desktop, KEY_CODES.A);
    await expect.poll(window.getText).toBe('a');
  });

  test.each(CAPS_LOCK_OPTIONS)('a Caps Lock key that does something else (%s) changes no text', async (option) => {
    const { desktop, session } = getSubject();
    await desktop.setLayout(option === 'grp:caps_toggle' ? 'us,ru' : 'us', option);
    await using window = await openFocusedWindow(getSubject());
    await tapKeys(desktop, KEY_CODES.CapsLock);
    // A program that waits for the keys of a composition drops the first text.
    if (option === 'compose:caps') await session.keyboard.press(['Esc']);
    await typePlain(window, 'Hello World []');
    await tapKeys(desktop, KEY_CODES.CapsLock);
    await desktop.setLayout('us');
  });

  test('without a focused window typing is refused with a sentence', async () => {
    const { session } = getSubject();
    await waitFor('nothing has the focus', () => session.windows.getActive() === undefined);
    await expect(session.keyboard.type('a')).rejects.toThrow('No window on that computer has the keyboard focus');
  });

  test('text is put on the clipboard and read from it, however long', async () => {
    const { desktop, session } = getSubject();
    for (const text of ['Grüße 👋\nмир', 'x'.repeat(200_000)]) {
      await session.clipboard.write(text);
      expect(await desktop.pasteText()).toBe(text);
      expect(await session.clipboard.read()).toBe(text);
    }
    await desktop.copyText('from another program ü👋');
    await expect.poll(session.clipboard.read).toBe('from another program ü👋');
  });

  test('a text from the clipboard is pasted into a window', async () => {
    const { session } = getSubject();
    await using window = await openFocusedWindow(getSubject());
    await session.clipboard.write('in the clipboard ü👋');
    await session.keyboard.press(['Ctrl', 'v']);
    await expect.poll(window.getText).toBe('in the clipboard ü👋');
    await session.keyboard.press(['End']);
    await session.keyboard.type(' and back');
    await session.keyboard.press(['Ctrl', 'a']);
    await session.keyboard.press(['Ctrl', 'c']);
    await expect.poll(session.clipboard.read).toBe('in the clipboard ü👋 and back');
  });

  test('the focused window and all others are known by title and process', async () => {
    const { session } = getSubject();
    await using first = await openFocusedWindow(getSubject());
    let changeCount = 0;
    session.windows.onChange(() => void changeCount++);
    const second = await openFocusedWindow(getSubject(), programs.at(-1));
    expect(changeCount).toBeGreaterThan(0);
    const listed = session.windows.listOpen();
    expect(listed).toHaveLength(2);
    expect([first, second].every((window) => listed.some((seen) => isSame(seen, window)))).toBe(true);
    await second[Symbol.asyncDispose]();
    await waitFor('the first is in front', () => isSame(session.windows.getActive(), first));
    expect(await session.windows.getTitle(session.windows.getActive()?.id ?? 0)).toBe('text view');
    expect(session.windows.listOpen()).toHaveLength(1);
  });

  test('the pointer clicks where it was moved, and turns the wheel', async () => {
    const { session } = getSubject();
    await using window = await openFocusedWindow(getSubject());
    await typePlain(window, 'one two');
    session.mouse.centre();
    // Three clicks select the line, if they are in the text.
    for (const isDown of [true, false, true, false, true, false]) session.mouse.button('left', isDown);
    session.mouse.wheel(0, 1);
    await session.mouse.releaseAll();
    await session.keyboard.press(['Del']);
    await expect.poll(window.getText).toBe('');
  });

  test('idle time grows without input, and ends with it', async () => {
    const { session } = getSubject();
    await waitFor('it is idle', async () => (await session.windows.getIdleMs()) > 1500);
    session.mouse.move(3, 3);
    await waitFor('it is used', async () => (await session.windows.getIdleMs()) < 1000);
  });

  if (noHotkeysReason !== undefined) {
    test('hotkeys are refused with a sentence', () => {
      const statuses: ReadonlyMap<number, string>[] = [];
      const chord = { modifiers: [], key: 'F9' };
      getSubject().session.hotkeys.listen([chord], {
        onPress: () => undefined,
        onStatus: (status) => void statuses.push(status),
      });
      expect(statuses).toEqual([new Map([[0, noHotkeysReason]])]);
    });
    return;
  }

  test('hotkeys are heard, and not while the agent types', async () => {
    const { desktop, session } = getSubject();
    const presses: (readonly [index: number, isRepeated: boolean])[] = [];
    const { promise, resolve } = Promise.withResolvers<ReadonlyMap<number, string>>();
    session.hotkeys.listen(
      [
        { modifiers: ['Ctrl', 'Alt'], key: 'r' },
        { modifiers: [], key: 'F9' },
        { modifiers: ['Ctrl'], key: 'NoSuchKey' },
      ],
      { onPress: (index, isRepeated) => void presses.push([index, isRepeated]), onStatus: resolve },
    );
    expect([...(await promise).keys()]).toEqual([2]);
    await tapKeys(desktop, KEY_CODES.LeftControl, KEY_CODES.LeftAlt, KEY_CODES.R);
    await tapKeys(desktop, KEY_CODES.F9);
    await expect
      .poll(() => presses)
      .toEqual([
        [0, false],
        [1, false],
      ]);
    await session.keyboard.press(['F9']);
    // Some desktops take a moment until the hotkeys work again.
    await expect
      .poll(async () => {
        const before = presses.length;
        await tapKeys(desktop, KEY_CODES.F9);
        await waitFor('it is heard', () => presses.length > before, 500).catch(() => undefined);
        return presses.length;
      })
      .toBe(3);
    session.hotkeys.listen([], { onPress: () => undefined, onStatus: () => undefined });
  });
}
