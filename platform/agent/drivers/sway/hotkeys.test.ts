import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openSwayHotkeys } from './hotkeys.ts';
import type { SwayEvent, SwayIpc } from './ipc.ts';

/** F9 belongs to the user in the second mode. */
const CONFIG = 'mode "second" {\n  bindsym F9 nop\n}';

/** sway in memory, with hotkeys for F9. */
async function startHotkeys() {
  const commands: string[] = [];
  /** What is bound, with the mode. */
  const bound = new Set<string>();
  let mode = 'default';
  /** What the user does just before and just after the next command. */
  let around: readonly (() => void)[] = [];
  const presses: boolean[] = [];
  let notify: ((event: SwayEvent, payload: unknown) => void) | undefined;
  let hasEnded = false;
  function setMode(name: string): void {
    mode = name;
    notify?.('mode', { change: name });
  }
  function runCommand(command: string): void {
    const [word = '', name = '', chord = ''] = command.replaceAll(/"|--release /g, '').split(' ');
    commands.push(word);
    if (word === 'mode') setMode(name);
    if (word === 'bindsym') bound.add(`${mode} ${chord}`);
    if (word === 'unbindsym') bound.delete(`${mode} ${chord}`);
  }
  const ipc: SwayIpc = {
    request: async (type, payload = '', onReply = () => undefined) => {
      if (hasEnded) throw new Error('the connection has ended');
      if (type === 'get_config') return { config: CONFIG };
      if (type === 'get_version') return {};
      const [before, after] = around;
      before?.();
      const sent = payload.split('; ');
      for (const command of sent) runCommand(command);
      const reply = sent.map(() => ({ success: true }));
      onReply(reply);
      after?.();
      if (before) around = [];
      return reply;
    },
    onEvent: (listener) => {
      notify = listener;
    },
    onClosed: () => undefined,
    [Symbol.dispose]: () => undefined,
  };
  const hotkeys = openSwayHotkeys(ipc);
  await new Promise<void>((resolve) =>
    hotkeys.listen([{ modifiers: [], key: 'F9' }], {
      onPress: (_index, isRepeated) => void presses.push(isRepeated),
      onStatus: () => resolve(),
    }),
  );
  return {
    hotkeys,
    presses,
    setMode,
    listBound: () => [...bound],
    doAround: (before: () => void, after: () => void) => {
      around = [before, after];
    },
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

const NO_LISTENER = { onPress: () => undefined, onStatus: () => undefined };

test('hotkeys that are bound in no other mode are replaced without a change of the mode', async () => {
  const { hotkeys, setMode, takeCommands } = await startHotkeys();
  await using _hotkeys = hotkeys;
  setMode('second');
  await hotkeys.runWithout(async () => undefined);
  setMode('default');
  takeCommands();
  hotkeys.listen([], NO_LISTENER);
  await hotkeys[Symbol.asyncDispose]();
  expect(takeCommands()).toEqual(['unbindsym', 'unbindsym']);
});

test('a key that somebody holds is unbound in another mode only after its release', async () => {
  const { hotkeys, setMode, report, listBound } = await startHotkeys();
  await using _hotkeys = hotkeys;
  report('press');
  setMode('second');
  hotkeys.listen([], NO_LISTENER);
  await sleep(100);
  expect(listBound()).toHaveLength(1);
  report('release');
  await expect.poll(listBound).toEqual([]);
});

test('what is bound while the mode changes is taken back where the key belongs to the user', async () => {
  const { hotkeys, setMode, doAround, listBound } = await startHotkeys();
  await using _hotkeys = hotkeys;
  await hotkeys.runWithout(async () => undefined);
  doAround(
    () => setMode('second'),
    () => undefined,
  );
  await expect.poll(listBound).toEqual([]);
});

test.each([
  { change: 'just before', names: ['third', 'default'] },
  { change: 'just after', names: ['default', 'second'] },
])('hotkeys are removed from each mode although it changes $change they are bound', async ({ names }) => {
  const { hotkeys, setMode, doAround, listBound } = await startHotkeys();
  await using _hotkeys = hotkeys;
  await hotkeys.runWithout(async () =>
    doAround(
      () => setMode(names[0] ?? ''),
      () => setMode(names[1] ?? ''),
    ),
  );
  hotkeys.listen([], NO_LISTENER);
  await hotkeys[Symbol.asyncDispose]();
  expect(listBound()).toEqual([]);
});

test('hotkeys come back in a mode that ends just after they were suspended', async () => {
  const { hotkeys, setMode, doAround, listBound } = await startHotkeys();
  await using _hotkeys = hotkeys;
  doAround(
    () => undefined,
    () => setMode('second'),
  );
  await hotkeys.runWithout(async () => undefined);
  await hotkeys.runWithout(async () => undefined);
  expect(listBound()).toEqual([]);
  setMode('default');
  await expect.poll(listBound).toHaveLength(1);
});
