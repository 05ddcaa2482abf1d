import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openSwayHotkeys } from './hotkeys.ts';
import type { SwayEvent, SwayIpc } from './ipc.ts';

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
      const sent = payload.split('; ');
      commands.push(...sent.map((command) => command.split(' ', 1).join()));
      return sent.map(() => ({ success: true }));
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
