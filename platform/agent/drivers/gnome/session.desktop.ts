import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import { startAgentProcess } from '#testing/kits/desktop/agentProcess.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { getGnomeSkipReason, GNOME_SYSTEMS, startGnome, type GnomeDesktop } from '#testing/kits/desktop/gnome.ts';
import { createCharacters, PROSE, SAMPLE_TEXTS } from '#testing/kits/desktop/sampleTexts.ts';
import { openFocusedWindow, testSession, typeAndRead } from '#testing/kits/desktop/sessionSuite.ts';
import type { TextProgram, TextWindow } from '#testing/kits/desktop/textWindow.ts';
import { KEY_CODES, tapKeys } from '#testing/kits/desktop/virtualDesktop.ts';
import { startServer } from '#testing/kits/server/server.ts';
import type { DesktopSession } from '../desktopSession.ts';
import { openDesktopSession } from '../openDesktopSession.ts';
import { openSystemDrivers } from '../systemDrivers.ts';
import { findGnome, openGnomeSession } from './session.ts';

describe.each(GNOME_SYSTEMS)('GNOME $version', (system) => {
  const needs = { missing: getGnomeSkipReason(system), isExtra: system.folder !== undefined };
  describeDesktop('a GNOME desktop', needs, () => {
    let gnome: GnomeDesktop;
    let session: DesktopSession;
    const folder = mkdtempSync(join(tmpdir(), 'pegboard-gnome-session-'));
    beforeAll(async () => {
      gnome = await startGnome({ system });
      session = await openDesktopSession({ env: gnome.env, heldPath: join(folder, 'held.json') });
    });
    afterAll(async () => {
      await session?.[Symbol.asyncDispose]();
      await gnome?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    });

    const openWindow = (program: TextProgram = 'gtk') => openFocusedWindow({ desktop: gnome, session }, program);
    async function tapAndRead(window: TextWindow): Promise<string> {
      window.clear();
      await tapKeys(gnome, KEY_CODES.A);
      await waitFor('the key arrives', () => window.getText() !== '');
      return window.getText();
    }

    testSession(() => ({ desktop: gnome, session }), {
      layouts: ['us', 'de', 'fr', 'us,ru', 'ru'],
      programs: ['gtk', 'foot'],
    });

    test('every text arrives exactly in a program for X11', async () => {
      await gnome.setLayout('de');
      await using window = await openWindow('xterm');
      for (const [, text] of SAMPLE_TEXTS) expect(await typeAndRead(session, window, text)).toEqual([]);
    });

    test('without a text field, keys type the characters of the layout, and the others are named', async () => {
      await gnome.setLayout('de');
      {
        // IBus doesn't notice its end.
        await using terminal = await openWindow('xterm');
        await typeAndRead(session, terminal, 'ä');
      }
      await using window = await openWindow('keys');
      window.clear();
      const { dropped } = await session.keyboard.type(`Größe: 5 € ~ <°> ${PROSE}\n→ мир!`);
      expect(dropped).toEqual(['м', 'и', 'р']);
      await expect.poll(window.getText).toBe(`Größe: 5 € ~ <°> ${PROSE}\n→ !`);
      await tapKeys(gnome, KEY_CODES.CapsLock);
      await typeAndRead(session, window, 'abc ABC äÄ');
      await tapKeys(gnome, KEY_CODES.CapsLock);
      expect(await tapAndRead(window)).toBe('a');
    });

    test('the second layout is used when it is active', async () => {
      await gnome.setLayout('us,de');
      await using window = await openWindow('gtk');
      await gnome.switchLayout();
      window.clear();
      await tapKeys(gnome, KEY_CODES.Y);
      await session.keyboard.press(['z']);
      await session.keyboard.press(['Shift', 'ü']);
      await expect.poll(window.getText).toBe('zzÜ');
      await gnome.switchLayout();
      await gnome.setLayout('us');
    });

    test('each character of Latin-1 arrives as a text of its own', async () => {
      await gnome.setLayout('us');
      await using window = await openWindow('gtk');
      window.clear();
      const characters = Array.from(createCharacters(0x21, 94) + createCharacters(0xa1, 95));
      for (const character of characters) await session.keyboard.type(character);
      await expect.poll(window.getText).toBe(characters.join(''));
    });

    test('the input method of the user is back after each text', async () => {
      await using window = await openWindow('gtk');
      const before = gnome.run('ibus', ['engine']).trim();
      await typeAndRead(session, window, 'é 你好');
      expect(gnome.run('ibus', ['engine']).trim()).toBe(before);
      window.clear();
      await tapKeys(gnome, KEY_CODES.A);
      await expect.poll(window.getText).toBe('a');
    });

    test('a held hotkey repeats', async () => {
      const presses: (readonly [number, boolean])[] = [];
      const { promise, resolve } = Promise.withResolvers<ReadonlyMap<number, string>>();
      session.hotkeys.listen(
        [
          { modifiers: [], key: 'F9' },
          { modifiers: ['Alt'], key: 'F4' },
        ],
        { onPress: (index, isRepeated) => void presses.push([index, isRepeated]), onStatus: resolve },
      );
      // GNOME itself uses Alt-F4.
      expect([...(await promise).keys()]).toEqual([1]);
      await gnome.sendKey(KEY_CODES.F9, true);
      await expect.poll(() => presses.filter(([, isRepeated]) => isRepeated).length).toBeGreaterThan(1);
      await gnome.sendKey(KEY_CODES.F9, false);
      expect(presses[0]).toEqual([0, false]);
      session.hotkeys.listen([], { onPress: () => undefined, onStatus: () => undefined });
    });

    /** Returns the engine of the input method; '' if there is none. */
    function readEngine(): string {
      try {
        return gnome.run('ibus', ['engine']).trim();
      } catch {
        return '';
      }
    }
    const startAgent = (code: string) =>
      startAgentProcess({ env: gnome.env, heldPath: join(folder, 'agent-held.json') }, code);
    describe.each(['SIGKILL', 'SIGSTOP'] as const)('an agent that gets %s', (signal) => {
      test('leaves no key down', async () => {
        await using window = await openWindow('foot');
        const { child } = await startAgent("await session.keyboard.holdModifiers(['Shift']);");
        expect(await tapAndRead(window)).toBe('A');
        child.kill(signal);
        await waitFor('the key is up', async () => (await tapAndRead(window)) === 'a', 10_000);
      });

      test('while it types leaves the input method of the user', async () => {
        await using window = await openWindow('gtk');
        const before = readEngine();
        const { child } = await startAgent("void session.keyboard.type('a\\b'.repeat(1000));");
        await waitFor('the agent types', () => readEngine().startsWith('pegboard'));
        child.kill(signal);
        await expect.poll(readEngine, { timeout: 10_000 }).toBe(before);
        expect(await tapAndRead(window)).toBe('a');
      });
    });

    test('an agent that loses its server leaves no key down', async () => {
      await using window = await openWindow('foot');
      const server = await startServer();
      const anna = await server.createAccount('anna');
      await using drivers = await openSystemDrivers({ env: gnome.env, stateDir: folder });
      await using _device = await startDevice(server, anna, { drivers });
      await drivers.keyboard.holdModifiers(['Shift']);
      expect(await tapAndRead(window)).toBe('A');
      await server[Symbol.asyncDispose]();
      // Sooner than the limit for every held key.
      await waitFor('the key is up', async () => (await tapAndRead(window)) === 'a', 5000);
    });

    test('an input method that ends is named, and keys type until it runs again', async () => {
      await gnome.setLayout('us');
      await using window = await openWindow('gtk');
      const typing = session.keyboard.type('a\b'.repeat(1000));
      await waitFor('the agent types', () => readEngine().startsWith('pegboard'));
      gnome.run('sh', ['-c', 'kill -KILL $(sed -n s/IBUS_DAEMON_PID=//p "$HOME"/.config/ibus/bus/*-wayland-0)']);
      await expect(typing).rejects.toThrow('The input method of that computer ended during typing');
      expect(await typeAndRead(session, window, 'Hello ä👋')).toEqual(['ä', '👋']);
      gnome.spawn('ibus-daemon', ['--panel', 'disable', '--xim']);
      await expect
        .poll(async () => {
          window.clear();
          return (await session.keyboard.type('Hello ä👋')).dropped;
        })
        .toEqual([]);
      expect(await typeAndRead(session, window, 'and all again: ä👋')).toEqual([]);
    });

    test('remote input that is ended at the computer is an ability with a sentence, and comes back automatically', async () => {
      const bus = await findGnome(gnome.env);
      if (!bus) throw new Error('no session bus');
      await using other = await openGnomeSession({
        env: gnome.env,
        heldPath: join(folder, 'other-held.json'),
        bus,
        endedByUserMs: 2000,
      });
      await using window = await openWindow('foot');
      await waitFor('GNOME tells whether it can record', () => other.capture.ability.able);
      await other.keyboard.holdModifiers(['Shift']);
      let changeCount = 0;
      other.onAbilityChange?.(() => (changeCount += 1));
      await new Promise(setImmediate);
      changeCount = 0;
      await gnome.endRemoteInput();
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
      await other.keyboard.type('back');
      await expect.poll(window.getText).toBe('back');
    });
  });
});
