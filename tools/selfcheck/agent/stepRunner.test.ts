import { expect, test } from 'vitest';
import { createFakeDrivers, type FakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import type { AllowedAbilities } from '#platform/agent/tool.ts';
import type { CheckStep } from '../contract.ts';
import { createStepRunner, type StepRunner } from './stepRunner.ts';

const ALLOWED: AllowedAbilities = {
  keyboard: true,
  mouse: true,
  sound: true,
  usage: true,
  messages: true,
  notifications: true,
  clipboard: false,
  scripts: false,
  capture: false,
};

function createRunner(allowed: Partial<AllowedAbilities> = {}): FakeDrivers & { readonly steps: StepRunner } {
  const drivers = createFakeDrivers();
  return Object.assign(drivers, { steps: createStepRunner({ drivers, allowed: { ...ALLOWED, ...allowed } }) });
}

test('what the owner turned off is not done, and the answer says so', async () => {
  const { steps, actions } = createRunner({ keyboard: false, mouse: false, sound: false, usage: false });
  const nameByStep: readonly (readonly [CheckStep, string])[] = [
    [{ kind: 'type', text: 'x' }, 'keyboard'],
    [{ kind: 'press', keys: ['Tab'] }, 'keyboard'],
    [{ kind: 'click', button: 'left' }, 'mouse'],
    [{ kind: 'sound' }, 'sound'],
    [{ kind: 'window', title: 'x' }, 'usage'],
  ];
  for (const [step, name] of nameByStep)
    expect(await steps.run(step)).toEqual({
      dropped: [],
      unavailable: `Turned off: the agent was started with --no-${name}`,
    });
  expect(actions).toEqual([]);
});

test('the volume is changed by ten percent, and set back with its mute', async () => {
  const { steps, play, audio } = createRunner();
  const master = { name: 'Master', level: 45, muted: true, colour: '#000000' };
  play({ sessions: [], outputs: [master] });
  expect((await steps.run({ kind: 'sound' })).compared).toEqual({
    expected: 'Master at 55 %, then 45 %',
    received: 'Master at 55 %, then 45 %',
  });
  expect(audio.getState().outputs).toEqual([master]);
});

test('a computer without an output has no volume to check', async () => {
  expect((await createRunner().steps.run({ kind: 'sound' })).unavailable).toBe('This computer has no sound output');
});

test('the clipboard of the user is back after the check', async () => {
  const { steps, copy, clipboard } = createRunner();
  copy('secret');
  await steps.run({ kind: 'copy', text: 'first' });
  await steps.run({ kind: 'copy', text: 'second' });
  expect(await clipboard.read()).toBe('second');
  await steps.run({ kind: 'finish' });
  expect(await clipboard.read()).toBe('secret');
});

test('a text of the user never leaves the computer', async () => {
  const { steps, copy } = createRunner();
  copy('secret');
  expect(await steps.run({ kind: 'compare', text: 'sample' })).toEqual({
    dropped: [],
    compared: { expected: 'sample', received: 'another text' },
  });
});

test('a title of another window never leaves the computer', async () => {
  const { steps, showWindows } = createRunner();
  showWindows([{ id: 1, application: 'Mail', pid: 1, title: 'secret' }]);
  expect((await steps.run({ kind: 'window', title: 'Check 1' })).compared).toEqual({
    expected: 'Check 1',
    received: 'another window, of Mail',
  });
  showWindows([{ id: 1, application: 'Chromium', pid: 1, title: 'Check 1 - Chromium' }]);
  expect((await steps.run({ kind: 'window', title: 'Check 1' })).compared?.received).toBe('Check 1');
});

test('a computer without window titles has not failed', async () => {
  const { steps, showWindows } = createRunner();
  showWindows([{ id: 1, application: 'Chromium', pid: 1 }]);
  expect((await steps.run({ kind: 'window', title: 'Check 1' })).unavailable).toBe(
    'The window in front is known (Chromium), but this computer reports no titles',
  );
});
