import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createWindowScript } from './windowScript.ts';

const TARGET = { destination: ':1.7', path: '/agent', interface: 'org.agent', member: 'Report' };
const WINDOW = { internalId: 'a-b', resourceClass: 'kate', pid: 42, normalWindow: true };
const PANEL = { internalId: 'c-d', resourceClass: 'plasmashell', pid: 43 };

function createSignal() {
  const listeners = new Set<() => void>();
  return {
    connect: (listener: () => void) => void listeners.add(listener),
    emit: () => listeners.forEach((listener) => listener()),
  };
}

/** Runs the script in a KWin with these names for the same things. */
function runScript(names: 'KWin 5' | 'KWin 6') {
  const activated = createSignal();
  const others = { virtualScreenSizeChanged: createSignal(), virtualScreenSize: { width: 1280, height: 800 } };
  const listWindows = () => [WINDOW, PANEL];
  const [added, removed] = [createSignal(), createSignal()];
  const workspace =
    names === 'KWin 5'
      ? {
          ...others,
          clientActivated: activated,
          clientAdded: added,
          clientRemoved: removed,
          clientList: listWindows,
          activeClient: WINDOW,
        }
      : {
          ...others,
          windowActivated: activated,
          windowAdded: added,
          windowRemoved: removed,
          windowList: listWindows,
          activeWindow: WINDOW,
        };
  const calls: (readonly unknown[])[] = [];
  runInNewContext(createWindowScript(TARGET), { workspace, callDBus: (...call: unknown[]) => void calls.push(call) });
  /** Answers the calls of a method, the newest one last. */
  function answer(member: string, ...values: readonly unknown[]): void {
    for (const call of calls.splice(0))
      if (call[3] === member) (call.at(-1) as (...args: unknown[]) => void)(...values);
  }
  return { activated, calls, answer };
}

test.each(['KWin 5', 'KWin 6'] as const)('the windows of %s are reported, without panels', (names) => {
  const { calls } = runScript(names);
  const [[destination, path, interfaceName, member, json] = []] = calls;
  expect([destination, path, interfaceName, member]).toEqual(Object.values(TARGET));
  expect(JSON.parse(String(json))).toEqual({
    active: 'a-b',
    windows: [{ id: 'a-b', application: 'kate', pid: 42 }],
    width: 1280,
    height: 800,
  });
});

test('an agent that did not answer for a while still gets reports, and one that has ended gets none', () => {
  const { activated, calls, answer } = runScript('KWin 6');
  for (let count = 0; count < 60; count++) activated.emit();
  answer('NameHasOwner', true);
  activated.emit();
  expect(calls).toHaveLength(1);
  for (let count = 0; count < 60; count++) activated.emit();
  answer('NameHasOwner', false);
  activated.emit();
  expect(calls).toHaveLength(0);
});
