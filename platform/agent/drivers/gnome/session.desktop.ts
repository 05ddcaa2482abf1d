import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeVersions } from '#testing/desktops/describeDesktop.ts';
import { startAgentProcess, testKeyRelease } from '#testing/kits/desktop/agentProcess.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { getGnomeSkipReason, GNOME_SYSTEMS, startGnome } from '#testing/kits/desktop/gnome.ts';
import { createCharacters, PROSE, SAMPLE_TEXTS } from '#testing/kits/desktop/sampleTexts.ts';
import {
  openFocusedWindow,
  registerHotkeys,
  startTestSession,
  tapAndRead,
  testSession,
  typeAndRead,
} from '#testing/kits/desktop/sessionSuite.ts';
import { KEY_CODES, tapKeys } from '#testing/kits/desktop/virtualDesktop.ts';
import { findGnome, openGnomeSession } from './session.ts';

const MATROSKA_MAGIC = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);

describeVersions('GNOME', GNOME_SYSTEMS, getGnomeSkipReason, (system) => {
  const subject = startTestSession(() => startGnome({ system }));
  /** Returns the engine of the input method; '' if there is none. */
  async function readEngine(): Promise<string> {
    const output = await subject.desktop.run('ibus', ['engine']).catch(() => '');
    return output.trim();
  }

  testSession(subject, { layouts: ['us', 'de', 'fr', 'us,ru', 'ru'], programs: ['gtk', 'foot'] });

  test('every text arrives exactly in a program for X11', async () => {
    const { desktop, session } = subject;
    await desktop.setLayout('de');
    await using window = await openFocusedWindow(subject, 'xterm');
    // IBus 1.5.32 of Debian 13 loses characters without a width in programs for X11 (like ibus/ibus#2896).
    const lost = system.version === 48 ? /[\u200d\p{Mn}]/gu : /(?!)/g;
    for (const [, text] of SAMPLE_TEXTS)
      expect(await typeAndRead(session, window, text.replaceAll(lost, ''))).toEqual([]);
  });

  test('without a text field, keys type the characters of the layout, and the others are named', async () => {
    const { desktop, session } = subject;
    await desktop.setLayout('de');
    {
      // IBus doesn't notice its end.
      await using terminal = await openFocusedWindow(subject, 'xterm');
      await typeAndRead(session, terminal, 'ä');
    }
    await using window = await openFocusedWindow(subject, 'keys');
    window.clear();
    const { dropped } = await session.keyboard.type(`Größe: 5 € ~ <°> ${PROSE}\n→ мир!`);
    expect(dropped).toEqual(['м', 'и', 'р']);
    await expect.poll(window.getText).toBe(`Größe: 5 € ~ <°> ${PROSE}\n→ !`);
    await tapKeys(desktop, KEY_CODES.CapsLock);
    await typeAndRead(session, window, 'abc ABC äÄ');
    await tapKeys(desktop, KEY_CODES.CapsLock);
    expect(await tapAndRead(desktop, window)).toBe('a');
  });

  test('the second layout is used when it is active', async () => {
    const { desktop, session } = subject;
    await desktop.setLayout('us,de');
    await using window = await openFocusedWindow(subject);
    await desktop.switchLayout();
    window.clear();
    await tapKeys(desktop, KEY_CODES.Y);
    await session.keyboard.press(['z']);
    await session.keyboard.press(['Shift', 'ü']);
    await expect.poll(window.getText).toBe('zzÜ');
    await desktop.switchLayout();
    await desktop.setLayout('us');
  });

  test('each character of Latin-1 arrives when it is sent alone', async () => {
    const { desktop, session } = subject;
    await desktop.setLayout('us');
    await using window = await openFocusedWindow(subject);
    window.clear();
    const characters = Array.from(createCharacters(0x21, 94) + createCharacters(0xa1, 95));
    for (const character of characters) await session.keyboard.type(character);
    await expect.poll(window.getText).toBe(characters.join(''));
  });

  test('the input method of the user is restored after each text', async () => {
    const { desktop, session } = subject;
    await using window = await openFocusedWindow(subject);
    const before = await readEngine();
    await typeAndRead(session, window, 'é 你好');
    expect(await readEngine()).toBe(before);
    expect(await tapAndRead(desktop, window)).toBe('a');
  });

  test('a held hotkey repeats', async () => {
    const { desktop, session } = subject;
    const presses: (readonly [number, boolean])[] = [];
    const chords = [
      { modifiers: [], key: 'F9' },
      { modifiers: ['Alt'], key: 'F4' },
    ];
    const refused = await registerHotkeys(session, chords, (...press) => void presses.push(press));
    // GNOME itself uses Alt-F4.
    expect([...refused.keys()]).toEqual([1]);
    await desktop.sendKey(KEY_CODES.F9, true);
    await expect.poll(() => presses.filter(([, isRepeated]) => isRepeated).length).toBeGreaterThan(1);
    await desktop.sendKey(KEY_CODES.F9, false);
    expect(presses[0]).toEqual([0, false]);
    await registerHotkeys(session, []);
  });

  testKeyRelease(subject, 'foot');

  test.each(['SIGKILL', 'SIGSTOP'] as const)(
    'the input method of the user is restored if an agent gets %s while it types',
    async (signal) => {
      const { desktop } = subject;
      await using window = await openFocusedWindow(subject);
      const before = await readEngine();
      const { child } = await startAgentProcess(subject, "void session.keyboard.type('a\\b'.repeat(1000));");
      await waitFor('the agent types', async () => (await readEngine()).startsWith('pegboard'));
      child.kill(signal);
      await expect.poll(readEngine, { timeout: 10_000 }).toBe(before);
      expect(await tapAndRead(desktop, window)).toBe('a');
    },
  );

  test('a text that is sent while somebody switches the layout arrives, or the answer names the reason', async () => {
    const { desktop, session } = subject;
    await desktop.setLayout('us,ru', 'grp:caps_toggle');
    for (let attempt = 0; attempt < 5; attempt++) {
      await using window = await openFocusedWindow(subject);
      const before = await desktop.getActiveLayout();
      await tapKeys(desktop, KEY_CODES.CapsLock);
      const reason = await session.keyboard.type('Привет 👋').then(({ dropped }) => dropped.join(''), String);
      if (reason === '') await expect.poll(window.getText).toBe('Привет 👋');
      else
        expect(reason).toMatch(
          /^(Привет)?👋$|(layout of that computer changed|took the focus on that computer) during typing/,
        );
      await waitFor('the layout is switched', async () => (await desktop.getActiveLayout()) !== before);
    }
    await desktop.setLayout('us');
  });

  test('an input method that ends is named, and keys type until it runs again', async () => {
    const { desktop, session } = subject;
    await desktop.setLayout('us');
    await using window = await openFocusedWindow(subject);
    const typing = session.keyboard.type('a\b'.repeat(1000));
    await waitFor('the agent types', async () => (await readEngine()).startsWith('pegboard'));
    await desktop.run('sh', ['-c', 'kill -KILL $(sed -n s/IBUS_DAEMON_PID=//p "$HOME"/.config/ibus/bus/*-wayland-0)']);
    await expect(typing).rejects.toThrow('The input method of that computer ended during typing');
    expect(await typeAndRead(session, window, 'Hello ä👋')).toEqual(['ä', '👋']);
    desktop.startInputMethod();
    // While it starts, GNOME passes keys through it, but not Shift: 'H' can become 'h'.
    async function typeAndWait(): Promise<string> {
      window.clear();
      await session.keyboard.type('Hello ä👋');
      await waitFor('the text arrives', () => /[ 👋]$/u.test(window.getText()), 5000).catch(() => undefined);
      return window.getText();
    }
    await expect.poll(typeAndWait).toBe('Hello ä👋');
    expect(await typeAndRead(session, window, 'and everything again: ä👋')).toEqual([]);
  });

  test('the screen is recorded as Matroska, also a part of it', async () => {
    const { session, folder } = subject;
    await waitFor('GNOME reports whether it can record', () => session.capture.ability.able);
    for (const region of [undefined, { x: 10, y: 10, width: 320, height: 240 }]) {
      const path = join(folder, '100% video.mkv.part');
      const recording = await session.capture.start(path, region);
      for (let step = 0; step < 20; step++) {
        session.mouse.move(10, 5);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await recording.stop();
      expect(await recording.whenEnded).toBeUndefined();
      const content = readFileSync(path);
      expect(content.subarray(0, MATROSKA_MAGIC.length)).toEqual(MATROSKA_MAGIC);
      expect(content.length).toBeGreaterThan(1000);
      rmSync(path);
    }
  });

  test('remote input that somebody ends at the computer is unavailable with a reason, and opens again automatically', async () => {
    const { desktop } = subject;
    const bus = await findGnome(desktop.env);
    if (!bus) throw new Error('no session bus');
    await using other = await openGnomeSession({
      env: desktop.env,
      heldPath: join(subject.folder, 'other-held.json'),
      bus,
      endedByUserMs: 2000,
    });
    // Not foot, which can end with the keyboards.
    await using window = await openFocusedWindow(subject);
    await waitFor('GNOME reports whether it can record', () => other.capture.ability.able);
    await other.keyboard.holdModifiers(['Shift']);
    let changeCount = 0;
    other.onAbilityChange?.(() => (changeCount += 1));
    await new Promise(setImmediate);
    changeCount = 0;
    await desktop.endRemoteInput();
    await expect
      .poll(() => other.keyboard.ability)
      .toEqual({
        able: false,
        reason: expect.stringContaining('Somebody ended remote control at that computer'),
      });
    expect(other.mouse.ability.able).toBe(false);
    expect(changeCount).toBe(1);
    await expect(other.keyboard.type('a')).rejects.toThrow('Somebody ended remote control at that computer');
    await expect.poll(() => other.keyboard.ability).toEqual({ able: true });
    window.clear();
    await waitFor('the other agent knows the focus', () => other.windows.getActive() !== undefined);
    await other.keyboard.type('back');
    await expect.poll(window.getText).toBe('back');
  });
});
