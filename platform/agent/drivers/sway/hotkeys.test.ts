import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { isConfigured, openSwayHotkeys, resolveIncludes, toSwayChord } from './hotkeys.ts';
import type { SwayEvent, SwayIpc } from './ipc.ts';

const CONFIG = `
set $mod Mod4
bindsym $mod+Return exec foot
bindsym --no-warn Ctrl+Alt+r exec something
  bindsym F9 nop
mode "resize" {
  bindsym Left resize shrink width 10px
}
bar {
  position top
}
bindsym XF86AudioMute exec mute
bindsym --locked {
  --no-warn Alt+F11 nop
  F12 nop
}
bindsym F7 nop
# bindsym F10 nop
`;

test.each([
  [{ modifiers: ['Gui'], key: 'Enter' }],
  [{ modifiers: ['Alt', 'Ctrl'], key: 'r' }],
  [{ modifiers: [], key: 'F9' }],
  [{ modifiers: ['Alt'], key: 'F11' }],
  [{ modifiers: [], key: 'F12' }],
  [{ modifiers: [], key: 'F7' }],
])('keys that the configuration binds are taken: %j', (chord) => {
  expect(isConfigured(CONFIG, chord)).toBe(true);
});

test.each([[{ modifiers: [], key: 'Left' }], [{ modifiers: [], key: 'F10' }], [{ modifiers: ['Ctrl'], key: 'r' }]])(
  'others are free, also those of a mode or of a comment: %j',
  (chord) => {
    expect(isConfigured(CONFIG, chord)).toBe(false);
  },
);

test('keys that included files bind are not available either', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-sway-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'config.d'));
  writeFileSync(join(folder, 'config.d', '50-keys'), 'bindsym F8 nop\ninclude more\ninclude 50-keys\n');
  writeFileSync(join(folder, 'config.d', 'more'), 'bindsym F7 nop');
  const config = resolveIncludes(`bindsym F6 nop\ninclude '${folder}/config.d/*'\ninclude missing\n`, folder);
  const isTaken = (key: string): boolean => isConfigured(config, { modifiers: [], key });
  expect(['F5', 'F6', 'F7', 'F8', 'F9'].map(isTaken)).toEqual([false, true, true, true, false]);
});

test('keys have their keysym in sway, and unknown ones have no name', () => {
  expect(toSwayChord({ modifiers: ['Ctrl', 'Gui'], key: 'a' })).toBe('Control+Mod4+0x61');
  expect(toSwayChord({ modifiers: [], key: 'VolumeUp' })).toBe('0x1008ff13');
  expect(toSwayChord({ modifiers: ['Ctrl'], key: 'NoSuchKey' })).toBeUndefined();
});

/** sway in memory, with hotkeys for F9. */
async function startHotkeys() {
  const commands: string[] = [];
  const presses: boolean[] = [];
  let notify: ((event: SwayEvent, payload: unknown) => void) | undefined;
  let hasEnded = false;
  const ipc: SwayIpc = {
    request: async (type, payload = '') => {
      if (hasEnded) throw new Error('the connection has ended');
      if (type === 'get_config') return { config: '' };
      if (type === 'get_version') return {};
      commands.push(payload.split(' ', 1).join());
      return [{ success: true }];
    },
    onEvent: (listener) => {
      notify = listener;
    },
    onClosed: () => undefined,
    [Symbol.dispose]: () => undefined,
  };
  const hotkeys = openSwayHotkeys(ipc);
  await new Promise<void>((bound) =>
    hotkeys.listen([{ modifiers: [], key: 'F9' }], {
      onPress: (_index, isRepeated) => void presses.push(isRepeated),
      onStatus: () => bound(),
    }),
  );
  return {
    hotkeys,
    presses,
    takeCommands: () => commands.splice(0),
    end: () => {
      hasEnded = true;
    },
    report: (action: 'press' | 'release') =>
      notify?.('binding', { change: 'run', binding: { command: `nop pegboard ${action} 0` } }),
  };
}

test('a key that somebody holds is unbound only after its release: sway may crash otherwise', async () => {
  const { hotkeys, presses, takeCommands, report } = await startHotkeys();
  await using _hotkeys = hotkeys;
  takeCommands();
  report('press');
  const typing = hotkeys.runWithout(async () => undefined);
  await sleep(100);
  report('press');
  expect(takeCommands()).toEqual([]);
  report('release');
  await typing;
  expect(takeCommands()).toEqual(['unbindsym', 'unbindsym']);
  expect(presses).toEqual([false, true]);
});

test('no text hears hotkeys, also if another one has just ended', async () => {
  const { hotkeys, takeCommands } = await startHotkeys();
  await using _hotkeys = hotkeys;
  const during: (readonly string[])[] = [];
  const type = async (): Promise<void> => void during.push(takeCommands().slice(-2));
  await hotkeys.runWithout(type);
  await hotkeys.runWithout(type);
  expect(during).toEqual([
    ['unbindsym', 'unbindsym'],
    ['unbindsym', 'unbindsym'],
  ]);
});

test('a text is typed although sway has ended', async () => {
  const { hotkeys, end } = await startHotkeys();
  await using _hotkeys = hotkeys;
  end();
  expect(await hotkeys.runWithout(async () => 'typed')).toBe('typed');
});
