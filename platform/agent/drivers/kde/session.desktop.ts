import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin, type KwinDesktop } from '#testing/kits/desktop/kwin.ts';
import { ASCII } from '#testing/kits/desktop/sampleTexts.ts';
import { openFocusedWindow, testSession, typeAndRead } from '#testing/kits/desktop/sessionSuite.ts';
import { startSway } from '#testing/kits/desktop/sway.ts';
import { KEY_CODES } from '#testing/kits/desktop/virtualDesktop.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { DesktopSession } from '../desktopSession.ts';
import type { KeyChord } from '../drivers.ts';
import { openDesktopSession } from '../openDesktopSession.ts';
import { callBus } from '../sessionBus.ts';
import { openSystemDrivers } from '../systemDrivers.ts';

/** What each layout must type at least, in addition to ASCII. */
const OWN_CHARACTERS: Readonly<Record<string, string>> = {
  us: '',
  de: 'äöüÄÖÜßẞ€µ§°éèêáàâóòô',
  fr: 'éèàùç€êëïôÊ',
  'us,ru': 'Привет, ёжик: съешь ещё этих мягких французских булок!',
};
const GLOBAL_SHORTCUTS = { destination: 'org.kde.kglobalaccel', path: '/kglobalaccel' } as const;
const swaySkipReason = getSkipReason('sway', 'xkbcli', 'setpriv');

/** Registers hotkeys. Returns why some are refused, by their index. */
const listen = ({ hotkeys }: DesktopSession, chords: readonly KeyChord[]) =>
  new Promise<ReadonlyMap<number, string>>((onStatus) =>
    hotkeys.listen(chords, { onPress: () => undefined, onStatus }),
  );

describe.each(KWIN_SYSTEMS)('KWin $version', (system) => {
  /** From 6.7 on, KWin types every character. */
  const canTypeAll = system.version >= 6.7;
  const skipReason = getSkipReason('dbus-run-session', 'wl-copy', 'gi', 'Gtk-4.0.typelib') ?? getKwinSkipReason(system);

  describeDesktop('a KDE desktop', { missing: skipReason, isExtra: system.folder !== undefined }, () => {
    let kwin: KwinDesktop;
    let session: DesktopSession;
    let folder: string;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'pegboard-kde-'));
      kwin = await startKwin(system);
      session = await openDesktopSession({ env: kwin.env, heldPath: join(folder, 'held.json') });
    });
    afterAll(async () => {
      await session?.[Symbol.asyncDispose]();
      await kwin?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    });

    const openWindow = () => openFocusedWindow({ desktop: kwin, session });

    testSession(() => ({ desktop: kwin, session }), {
      layouts: Object.keys(OWN_CHARACTERS),
      programs: ['gtk'],
      canTypeAll,
    });

    test.each(Object.entries(OWN_CHARACTERS))(
      'with layout %s all its characters arrive',
      async (layout, characters) => {
        await kwin.setLayout(layout);
        await using window = await openWindow();
        expect(await typeAndRead(session, window, ASCII + characters)).toEqual([]);
        expect(await typeAndRead(session, window, 'a👋b你')).toEqual(canTypeAll ? [] : ['👋', '你']);
      },
    );

    test('a modifier that somebody holds changes no text', async () => {
      await using window = await openWindow();
      await kwin.sendKey(KEY_CODES.LeftShift, true);
      if (system.version < 6) expect(await typeAndRead(session, window, 'Small')).toEqual([]);
      else await expect(session.keyboard.type('Small')).rejects.toThrow('Somebody holds Shift on that computer');
      await kwin.sendKey(KEY_CODES.LeftShift, false);
      expect(await typeAndRead(session, window, 'afterwards')).toEqual([]);
    });

    test('shortcuts work while a layout without Latin letters is in use', async () => {
      await kwin.setLayout('us,ru');
      const layouts = { destination: 'org.kde.keyboard', path: '/Layouts', interface: 'org.kde.KeyboardLayouts' };
      await callBus(kwin.bus, { ...layouts, member: 'setLayout', signature: 'u', body: [1] });
      await using window = await openWindow();
      await typeAndRead(session, window, 'both: оба');
      await session.keyboard.press(['Ctrl', 'a']);
      await session.keyboard.press(['Ctrl', 'x']);
      await expect.poll(window.getText).toBe('');
      expect(await callBus(kwin.bus, { ...layouts, member: 'getLayout' })).toBe(1);
      await callBus(kwin.bus, { ...layouts, member: 'setLayout', signature: 'u', body: [0] });
      await kwin.setLayout('us');
    });

    test('hotkeys of other programs are named, and those of the agent leave nothing in the settings', async () => {
      const service = { ...GLOBAL_SHORTCUTS, interface: 'org.kde.KGlobalAccel' };
      const other = ['other', 'terminal', 'Other', 'Terminal'];
      const CTRL_ALT_T = 0x0c000054;
      await callBus(kwin.bus, { ...service, member: 'doRegister', signature: 'as', body: [other] });
      const body = [other, [CTRL_ALT_T], 6];
      await callBus(kwin.bus, { ...service, member: 'setShortcut', signature: 'asaiu', body });
      const listActions = () => {
        const actions = { ...service, member: 'allActionsForComponent', signature: 'as' };
        return callBus(kwin.bus, { ...actions, body: [['pegboard-agent', '', '', '']] });
      };
      const refused = await listen(session, [
        { modifiers: ['Ctrl', 'Alt'], key: 'r' },
        { modifiers: ['Ctrl', 'Alt'], key: 't' },
      ]);
      expect([...refused]).toEqual([[1, expect.stringContaining('already uses Ctrl-Alt-T')]]);
      expect(await listActions()).toHaveLength(1);
      await listen(session, []);
      expect(await listActions()).toEqual([]);
    });

    test.skipIf(swaySkipReason)('another compositor in a window of KDE is not mistaken for it', async () => {
      await using sway = await startSway();
      const env = { ...sway.env, DBUS_SESSION_BUS_ADDRESS: kwin.env['DBUS_SESSION_BUS_ADDRESS'] };
      await using other = await openDesktopSession({ env, heldPath: join(folder, 'other.json') });
      expect(other.name).toBe('sway on Wayland');
    });

    test('a KWin that crashed is found again when it has started again', async () => {
      await using drivers = await openSystemDrivers({ env: kwin.env, stateDir: folder, retryIntervalMs: 100 });
      const refused: number[] = [];
      const chords: readonly KeyChord[] = [{ modifiers: [], key: 'F9' }];
      drivers.hotkeys.listen(chords, { onPress: () => undefined, onStatus: ({ size }) => void refused.push(size) });
      await waitFor('the hotkey is registered', () => refused.at(-1) === 0);
      await kwin.crash();
      await waitFor('the agent has no desktop', () => !drivers.keyboard.ability.able);
      await waitFor('the agent has one again', () => drivers.keyboard.ability.able);
      await waitFor('the hotkey is registered again', () => refused.join() === '0,1,0');
      await using window = await kwin.openTextWindow('gtk');
      await waitFor('the agent knows the focus', () => drivers.windows.getActive()?.pid === window.child.pid);
      expect(await drivers.keyboard.type('again')).toEqual({ dropped: [] });
      await expect.poll(window.getText).toBe('again');
    });
  });
});
