import { expect, test } from 'vitest';
import type { FakeAction } from '#platform/agent/drivers/fakeDrivers.ts';
import { applyAction, createScreenState, SCREEN_WIDTH, type ScreenState } from './screenState.ts';

const SILENCE = { sessions: [], outputs: [] };

function applyActions(...actions: readonly FakeAction[]): ScreenState {
  let state = createScreenState(SILENCE);
  for (const [index, action] of actions.entries())
    state = applyAction(state, action, { count: index + 1, sound: SILENCE });
  return state;
}
const listLines = ({ log }: ScreenState): readonly string[] => log.map(({ text }) => text);

const setLevel = (name: string, level: number): FakeAction => ({
  kind: 'level',
  group: 'sessions',
  name,
  level,
  muted: false,
});

test('typed texts and pressed keys arrive in the editor', () => {
  const { text } = applyActions(
    { kind: 'type', text: 'Grüße 👋🏽' },
    { kind: 'press', keys: ['Backspace'] },
    { kind: 'press', keys: ['Enter'] },
    { kind: 'press', keys: ['Shift', 'a'] },
    { kind: 'press', keys: ['b'] },
  );
  expect(text).toBe('Grüße 👋\nAb');
});

test('a shortcut changes no text, and is in the log', () => {
  const state = applyActions({ kind: 'type', text: 'kept' }, { kind: 'press', keys: ['Ctrl', 'c'] });
  expect(state.text).toBe('kept');
  expect(listLines(state)).toEqual(['Pressed Ctrl + c', 'Typed 4 characters']);
});

test('the pointer stays on the screen', () => {
  expect(applyActions({ kind: 'move', dx: 10_000, dy: -10_000 }).pointer).toEqual({ x: SCREEN_WIDTH, y: 0 });
});

test('a drag of one slider is one line of the log', () => {
  expect(listLines(applyActions(setLevel('Firefox', 40), setLevel('Firefox', 30), setLevel('Signal', 20)))).toEqual([
    'Signal: 20 %',
    'Firefox: 30 %',
  ]);
});

test('a message shows as a notification', () => {
  expect(applyActions({ kind: 'show', title: 'Ben', text: 'Dinner!' }).notification).toMatchObject({
    title: 'Ben',
    text: 'Dinner!',
  });
});
