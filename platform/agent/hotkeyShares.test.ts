import { expect, test } from 'vitest';
import { AGENT_PAUSED_MESSAGE } from './commandQueue.ts';
import type { KeyChord } from './drivers/drivers.ts';
import { createFakeDrivers } from './drivers/fakeDrivers.ts';
import { type HotkeyShare, type HotkeyRequest, createHotkeyShares } from './hotkeyShares.ts';

const chord = (...keys: readonly string[]): KeyChord => ({ modifiers: keys.slice(0, -1), key: keys.at(-1) ?? '' });

/** Requests these hotkeys, and records the reported reasons. */
const want = (share: HotkeyShare, ...wishes: readonly HotkeyRequest[]): Record<number, string>[] => {
  const told: Record<number, string>[] = [];
  share.setHotkeys(wishes, (refused) => void told.push(Object.fromEntries(refused)));
  return told;
};

const stage = () => {
  const drivers = createFakeDrivers();
  const shares = createHotkeyShares(drivers.hotkeys);
  const ran: string[] = [];
  const wish = (what: string, ...keys: readonly string[]): HotkeyRequest => ({
    chord: chord(...keys),
    label: what,
    run: (isRepeated) => void ran.push(isRepeated ? `${what} again` : what),
  });
  return { drivers, shares, ran, wish };
};

test('if two tools request one key, the first gets it; the other is told who has it, and gets it when it is free', () => {
  const { drivers, shares, ran, wish } = stage();
  const [first, second] = [shares.open(), shares.open()];
  expect(want(first, wish('Games: up', 'Ctrl', 'Alt', 'm'))).toEqual([{}]);
  const told = want(second, wish('Lamp', 'F9'), wish('Light', 'Alt', 'Ctrl', 'm'), wish('Lamp too', 'F9'));
  expect(told).toEqual([{ 1: 'That key is used for Games: up already', 2: 'That key is used for Lamp already' }]);
  expect(drivers.listensFor()).toEqual([chord('Ctrl', 'Alt', 'm'), chord('F9')]);
  drivers.pressHotkey(0);
  drivers.pressHotkey(1);
  drivers.pressHotkey(1, true);
  expect(ran).toEqual(['Games: up', 'Lamp', 'Lamp again']);
  want(first);
  expect(told.at(-1)).toEqual({ 2: 'That key is used for Lamp already' });
  drivers.pressHotkey(1);
  expect(ran.at(-1)).toBe('Light');
});

test('a refusal of the computer reaches the tool that requested the key, once for each change', () => {
  const { drivers, shares, wish } = stage();
  const one = want(shares.open(), wish('a', 'a'));
  const other = want(shares.open(), wish('b', 'b'), wish('c', 'c'));
  drivers.takeHotkeys(new Map([[2, 'taken']]));
  drivers.takeHotkeys(new Map([[2, 'taken']]));
  expect(one).toEqual([{}]);
  expect(other).toEqual([{}, { 1: 'taken' }]);
  drivers.takeHotkeys(new Map());
  expect(other.at(-1)).toEqual({});
});

test('a paused agent listens for nothing, reports that, and continues afterwards', () => {
  const { drivers, shares, ran, wish } = stage();
  const told = want(shares.open(), wish('a', 'a'));
  shares.setPaused(true);
  expect(drivers.listensFor()).toEqual([]);
  expect(told.at(-1)).toEqual({ 0: AGENT_PAUSED_MESSAGE });
  drivers.pressHotkey(0);
  shares.setPaused(false);
  shares.setPaused(false);
  expect(told.at(-1)).toEqual({});
  drivers.pressHotkey(0);
  expect(ran).toEqual(['a']);
});
