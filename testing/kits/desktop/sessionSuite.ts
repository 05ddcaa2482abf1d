import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DesktopSession } from '#platform/agent/drivers/desktopSession.ts';
import type { KeyChord, OpenWindow } from '#platform/agent/drivers/drivers.ts';
import { openDesktopSession } from '#platform/agent/drivers/openDesktopSession.ts';
import { waitFor } from './desktop.ts';
import { PROSE, SAMPLE_TEXTS, SIX_HUNDRED_CHARACTERS } from './sampleTexts.ts';
import type { TextProgram, TextWindow } from './textWindow.ts';
import { KEY_CODES, tapKeys, type VirtualDesktop } from './virtualDesktop.ts';

/** A desktop, and the agent's drivers on it, for all tests of a group. */
export interface TestSession<Desktop extends VirtualDesktop = VirtualDesktop> {
  readonly desktop: Desktop;
  readonly session: DesktopSession;
  /** A folder for files of the agent and of the tests. */
  readonly folder: string;
}

export interface SessionSuiteOptions {
  readonly layouts: readonly string[];
  /** Programs that take text. */
  readonly programs: readonly TextProgram[];
  /** Layouts for all programs; the others are used with the last program only. All by default. */
  readonly mainLayouts?: readonly string[];
  /** Whether it types characters that no layout has. */
  readonly canTypeAll?: boolean;
  /** The reason that the agent gives if there are no hotkeys. */
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

/** Starts a desktop before the tests of a group, opens the agent's drivers on it, and closes both afterwards. */
export function startTestSession<Desktop extends VirtualDesktop>(
  startDesktop: () => Promise<Desktop>,
): TestSession<Desktop> {
  const stack = new AsyncDisposableStack();
  let running: TestSession<Desktop> | undefined;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pegboard-session-'));
    stack.defer(() => rmSync(folder, { recursive: true }));
    const desktop = stack.use(await startDesktop());
    const options = { env: desktop.env, heldPath: join(folder, 'held.json') };
    running = { desktop, session: stack.use(await openDesktopSession(options)), folder };
  });
  afterAll(() => stack.disposeAsync());
  function getRunning(): TestSession<Desktop> {
    if (!running) throw new Error('the session is open only during tests');
    return running;
  }
  return {
    get desktop() {
      return getRunning().desktop;
    },
    get session() {
      return getRunning().session;
    },
    get folder() {
      return getRunning().folder;
    },
  };
}

/** Whether the agent sees this window. Some compositors don't report the process of a window. */
const isSame = (seen: OpenWindow | undefined, { child, application }: TextWindow): boolean =>
  seen !== undefined && (seen.pid === undefined ? seen.application === application : seen.pid === child.pid);

/** Opens a window, and waits until the agent knows that it has the focus. */
export async function openFocusedWindow(
  { desktop, session }: Pick<TestSession, 'desktop' | 'session'>,
  program: TextProgram = 'gtk',
): Promise<TextWindow> {
  const window = await desktop.openTextWindow(program);
  await waitFor('the agent knows the focus', () => isSame(session.windows.getActive(), window));
  return window;
}

/** Types a text, and expects all of it but the characters that are named as dropped. Returns those. */
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

/** Returns what a key types that the person at the computer presses. */
export async function tapAndRead(desktop: VirtualDesktop, window: TextWindow): Promise<string> {
  window.clear();
  await tapKeys(desktop, KEY_CODES.A);
  await waitFor('the key arrives', () => window.getText() !== '');
  return window.getText();
}

/** Registers hotkeys. Returns why some are refused, by their index. */
export function registerHotkeys(
  { hotkeys }: DesktopSession,
  chords: readonly KeyChord[],
  onPress: (index: number, isRepeated: boolean) => void = () => undefined,
): Promise<ReadonlyMap<number, string>> {
  return new Promise((onStatus) => hotkeys.listen(chords, { onPress, onStatus }));
}

/** Defines the tests of what every desktop can do. They share one desktop, and leave its layout at 'us'. */
export function testSession(
  subject: TestSession,
  { layouts, programs, mainLayouts = layouts, canTypeAll = true, noHotkeysReason }: SessionSuiteOptions,
): void {
  /** Types a text that every layout has. */
  async function typePlain(window: TextWindow, text: string): Promise<void> {
    expect(await typeAndRead(subject.session, window, text)).toEqual([]);
  }

  test('is recognised, with everything that it can do', () => {
    const { desktop, session } = subject;
    expect(session.name).toBe(desktop.name);
    for (const { ability } of [session.keyboard, session.mouse, session.clipboard, session.windows])
      expect(ability).toEqual({ able: true });
  });

  describe.each(layouts)('with layout %s', (layout) => {
    const testedPrograms = mainLayouts.includes(layout) ? programs : programs.slice(-1);
    test.each(testedPrograms)(
      'every text arrives exactly in %s, but for characters that are named',
      async (program) => {
        const { desktop, session } = subject;
        await desktop.setLayout(layout);
        await using window = await openFocusedWindow(subject, program);
        for (const [name, text] of SAMPLE_TEXTS) {
          const dropped = await typeAndRead(session, window, text);
          if (canTypeAll || text === PROSE || name === 'newlines and tabs') expect(dropped).toEqual([]);
        }
      },
    );

    test('shortcuts are those of the layout', async () => {
      const { desktop, session } = subject;
      await desktop.setLayout(layout);
      await using window = await openFocusedWindow(subject);
      await typeAndRead(session, window, 'cut me');
      await session.keyboard.press(['Ctrl', 'a']);
      await session.keyboard.press(['Ctrl', 'x']);
      await expect.poll(window.getText).toBe('');
      await session.keyboard.press(['Ctrl', 'v']);
      await expect.poll(window.getText).toBe('cut me');
    });
  });

  test('six hundred different characters arrive exactly, or all are named', async () => {
    const { desktop, session } = subject;
    await desktop.setLayout('us');
    await using window = await openFocusedWindow(subject);
    const dropped = await typeAndRead(session, window, SIX_HUNDRED_CHARACTERS);
    expect(dropped.join('')).toBe(canTypeAll ? '' : SIX_HUNDRED_CHARACTERS);
  });

  test('a character that no keyboard has is named, and the rest is typed', async () => {
    await using window = await openFocusedWindow(subject);
    expect(await typeAndRead(subject.session, window, 'a\u0007b')).toEqual(['\u0007']);
  });

  test('Caps Lock changes no text, and stays on', async () => {
    const { desktop } = subject;
    await using window = await openFocusedWindow(subject);
    await tapKeys(desktop, KEY_CODES.CapsLock);
    await typePlain(window, 'Hello World []');
    await typePlain(window, 'x');
    expect(await tapAndRead(desktop, window)).toBe('A');
    await tapKeys(desktop, KEY_CODES.CapsLock);
    expect(await tapAndRead(desktop, window)).toBe('a');
  });

  test.each(CAPS_LOCK_OPTIONS)('a Caps Lock key that does something else (%s) changes no text', async (option) => {
    const { desktop, session } = subject;
    await desktop.setLayout(option === 'grp:caps_toggle' ? 'us,ru' : 'us', option);
    await using window = await openFocusedWindow(subject);
    await tapKeys(desktop, KEY_CODES.CapsLock);
    if (option === 'grp:caps_toggle')
      await waitFor('the layout is switched', async () => (await desktop.getActiveLayout?.()) !== 'us');
    // A program that waits for the keys of a composition drops the first text.
    if (option === 'compose:caps') await session.keyboard.press(['Esc']);
    await typePlain(window, 'Hello World []');
    await tapKeys(desktop, KEY_CODES.CapsLock);
    await desktop.setLayout('us');
  });

  test('without a focused window typing is refused with a sentence', async () => {
    const { session } = subject;
    await waitFor('nothing has the focus', () => session.windows.getActive() === undefined);
    await expect(session.keyboard.type('a')).rejects.toThrow('No window on that computer has the keyboard focus');
  });

  test('text is put on the clipboard and read from it, however long', async () => {
    const { desktop, session } = subject;
    for (const text of ['Grüße 👋\nмир', 'x'.repeat(200_000)]) {
      await session.clipboard.write(text);
      expect(await desktop.pasteText()).toBe(text);
      expect(await session.clipboard.read()).toBe(text);
    }
    await desktop.copyText('from another program ü👋');
    await expect.poll(session.clipboard.read).toBe('from another program ü👋');
  });

  test('a text from the clipboard is pasted into a window', async () => {
    const { session } = subject;
    await using window = await openFocusedWindow(subject);
    await session.clipboard.write('in the clipboard ü👋');
    await session.keyboard.press(['Ctrl', 'v']);
    await expect.poll(window.getText).toBe('in the clipboard ü👋');
    await session.keyboard.press(['End']);
    await session.keyboard.type(' and back');
    await session.keyboard.press(['Ctrl', 'a']);
    await session.keyboard.press(['Ctrl', 'c']);
    await expect.poll(session.clipboard.read).toBe('in the clipboard ü👋 and back');
  });

  test('the agent knows the focused window and all others by title and process', async () => {
    const { session } = subject;
    await using first = await openFocusedWindow(subject);
    let changeCount = 0;
    session.windows.onChange(() => void changeCount++);
    const second = await openFocusedWindow(subject, programs.at(-1));
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
    const { session } = subject;
    await using window = await openFocusedWindow(subject);
    await typePlain(window, 'one two');
    async function deleteLine(): Promise<string> {
      session.mouse.centre();
      // Three clicks select the line, if they are in the text.
      for (const isDown of [true, false, true, false, true, false]) session.mouse.button('left', isDown);
      session.mouse.wheel(0, 1);
      await session.mouse.releaseAll();
      await session.keyboard.press(['Del']);
      await sleep(500);
      return window.getText();
    }
    // A busy window that has just opened gets keys before it knows where its text is.
    await expect.poll(deleteLine).toBe('');
  });

  test('idle time grows without input, and ends with it', async () => {
    const { session } = subject;
    await waitFor('it is idle', async () => (await session.windows.getIdleMs()) > 1500);
    session.mouse.move(3, 3);
    await waitFor('it is used', async () => (await session.windows.getIdleMs()) < 1000);
  });

  if (noHotkeysReason !== undefined) {
    test('hotkeys are refused with a sentence', async () => {
      expect(await registerHotkeys(subject.session, [{ modifiers: [], key: 'F9' }])).toEqual(
        new Map([[0, noHotkeysReason]]),
      );
    });
    return;
  }

  test('hotkeys are reported, but not while the agent types', async () => {
    const { desktop, session } = subject;
    const presses: (readonly [index: number, isRepeated: boolean])[] = [];
    const refused = await registerHotkeys(
      session,
      [
        { modifiers: ['Ctrl', 'Alt'], key: 'r' },
        { modifiers: [], key: 'F9' },
        { modifiers: ['Ctrl'], key: 'NoSuchKey' },
      ],
      (...press) => void presses.push(press),
    );
    expect([...refused.keys()]).toEqual([2]);
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
        await waitFor('it is reported', () => presses.length > before, 500).catch(() => undefined);
        return presses.length;
      })
      .toBe(3);
    await registerHotkeys(session, []);
  });
}
