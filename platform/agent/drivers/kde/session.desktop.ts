import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeVersions } from '#testing/desktops/describeDesktop.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin } from '#testing/kits/desktop/kwin.ts';
import { ASCII } from '#testing/kits/desktop/sampleTexts.ts';
import {
  openFocusedWindow,
  registerHotkeys,
  startTestSession,
  testSession,
  typeAndRead,
} from '#testing/kits/desktop/sessionSuite.ts';
import { startSway } from '#testing/kits/desktop/sway.ts';
import { KEY_CODES } from '#testing/kits/desktop/virtualDesktop.ts';
import { getSkipReason } from '#testing/machine.ts';
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
const swaySkipReason = getSkipReason('sway', 'xkbcli', 'setpriv');

describeVersions('KDE', KWIN_SYSTEMS, getKwinSkipReason, (system) => {
  /** From 6.7 on, KWin types every character. */
  const canTypeAll = system.version >= 6.7;
  const subject = startTestSession(() => startKwin(system));

  testSession(subject, { layouts: Object.keys(OWN_CHARACTERS), programs: ['gtk'], canTypeAll });

  test.each(Object.entries(OWN_CHARACTERS))('with layout %s all its characters arrive', async (layout, characters) => {
    const { desktop, session } = subject;
    await desktop.setLayout(layout);
    await using window = await openFocusedWindow(subject);
    expect(await typeAndRead(session, window, ASCII + characters)).toEqual([]);
    expect(await typeAndRead(session, window, 'a👋b你')).toEqual(canTypeAll ? [] : ['👋', '你']);
  });

  test('a key that is pressed immediately after a text comes after it', async () => {
    const { session } = subject;
    await using window = await openFocusedWindow(subject);
    const text = (canTypeAll ? 'я' : 'a').repeat(8);
    await session.keyboard.type(text);
    await session.keyboard.press(['Enter']);
    await expect.poll(window.getText).toBe(`${text}\n`);
  });

  test('a modifier that somebody holds changes no text', async () => {
    const { desktop, session } = subject;
    await using window = await openFocusedWindow(subject);
    await desktop.sendKey(KEY_CODES.LeftShift, true);
    if (system.version < 6) expect(await typeAndRead(session, window, 'Small')).toEqual([]);
    else await expect(session.keyboard.type('Small')).rejects.toThrow('Somebody holds Shift on that computer');
    await desktop.sendKey(KEY_CODES.LeftShift, false);
    expect(await typeAndRead(session, window, 'afterwards')).toEqual([]);
  });

  test('shortcuts work while a layout without Latin letters is in use', async () => {
    const { desktop, session } = subject;
    await desktop.setLayout('us,ru');
    const layouts = { destination: 'org.kde.keyboard', path: '/Layouts', interface: 'org.kde.KeyboardLayouts' };
    await callBus(desktop.bus, { ...layouts, member: 'setLayout', signature: 'u', body: [1] });
    await using window = await openFocusedWindow(subject);
    await typeAndRead(session, window, 'both: оба');
    await session.keyboard.press(['Ctrl', 'a']);
    await session.keyboard.press(['Ctrl', 'x']);
    await expect.poll(window.getText).toBe('');
    expect(await callBus(desktop.bus, { ...layouts, member: 'getLayout' })).toBe(1);
    await callBus(desktop.bus, { ...layouts, member: 'setLayout', signature: 'u', body: [0] });
    await desktop.setLayout('us');
  });

  test('hotkeys of other programs are refused, and those of the agent leave nothing in the settings', async () => {
    const { desktop, session } = subject;
    const service = { destination: 'org.kde.kglobalaccel', path: '/kglobalaccel', interface: 'org.kde.KGlobalAccel' };
    const other = ['other', 'terminal', 'Other', 'Terminal'];
    const CTRL_ALT_T = 0x0c000054;
    await callBus(desktop.bus, { ...service, member: 'doRegister', signature: 'as', body: [other] });
    const body = [other, [CTRL_ALT_T], 6];
    await callBus(desktop.bus, { ...service, member: 'setShortcut', signature: 'asaiu', body });
    const listActions = () => {
      const actions = { ...service, member: 'allActionsForComponent', signature: 'as' };
      return callBus(desktop.bus, { ...actions, body: [['pegboard-agent', '', '', '']] });
    };
    const refused = await registerHotkeys(session, [
      { modifiers: ['Ctrl', 'Alt'], key: 'r' },
      { modifiers: ['Ctrl', 'Alt'], key: 't' },
    ]);
    expect([...refused]).toEqual([[1, expect.stringContaining('already uses Ctrl-Alt-T')]]);
    expect(await listActions()).toHaveLength(1);
    await registerHotkeys(session, []);
    expect(await listActions()).toEqual([]);
  });

  test.skipIf(swaySkipReason)('another compositor in a window of KDE is not mistaken for it', async () => {
    const { desktop } = subject;
    await using sway = await startSway();
    const env = { ...sway.env, DBUS_SESSION_BUS_ADDRESS: desktop.env['DBUS_SESSION_BUS_ADDRESS'] };
    await using other = await openDesktopSession({ env, heldPath: join(subject.folder, 'other.json') });
    expect(other.name).toBe('sway on Wayland');
  });

  test('after a crash of KWin the agent types and has hotkeys again', async () => {
    const { desktop } = subject;
    await using drivers = await openSystemDrivers({ env: desktop.env, stateDir: subject.folder, retryIntervalMs: 100 });
    const refused: number[] = [];
    const chords: readonly KeyChord[] = [{ modifiers: [], key: 'F9' }];
    drivers.hotkeys.listen(chords, { onPress: () => undefined, onStatus: ({ size }) => void refused.push(size) });
    await waitFor('the hotkey is registered', () => refused.at(-1) === 0);
    await desktop.crash();
    await waitFor('the agent has no desktop', () => !drivers.keyboard.ability.able);
    await waitFor('the agent has one again', () => drivers.keyboard.ability.able);
    await waitFor('the hotkey is registered again', () => refused.join() === '0,1,0');
    await using window = await desktop.openTextWindow('gtk');
    await waitFor('the agent knows the focus', () => drivers.windows.getActive()?.pid === window.child.pid);
    expect(await drivers.keyboard.type('again')).toEqual({ dropped: [] });
    await expect.poll(window.getText).toBe('again');
  });
});
