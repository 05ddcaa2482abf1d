import { expect, test } from 'vitest';
import { AGENT_PAUSED_MESSAGE } from './commandQueue.ts';
import type { KeyChord } from './drivers/drivers.ts';
import { createFakeDrivers } from './drivers/fakeDrivers.ts';
import { type HotkeyShare, type HotkeyRequest, createHotkeyShares } from './hotkeyShares.ts';

const createChord = (...keys: readonly string[]): KeyChord => ({
  modifiers: keys.slice(0, -1),
  key: keys.at(-1) ?? '',
});

/** Requests these hotkeys, and records the reported reasons. */
function setHotkeys(share: HotkeyShare, ...hotkeys: readonly HotkeyRequest[]): Record<number, string>[] {
  const reports: Record<number, string>[] = [];
  share.setHotkeys(hotkeys, (refused) => void reports.push(Object.fromEntries(refused)));
  return reports;
}

function createStage() {
  const drivers = createFakeDrivers();
  const shares = createHotkeyShares(drivers.hotkeys);
  const ran: string[] = [];
  const createHotkey = (label: string, ...keys: readonly string[]): HotkeyRequest => ({
    chord: createChord(...keys),
    label,
    run: (isRepeated) => void ran.push(isRepeated ? `${label} again` : label),
  });
  return { drivers, shares, ran, createHotkey };
}

test('if two tools request one key, the first gets it; the other is notified who has it, and gets it when it is free', () => {
  const { drivers, shares, ran, createHotkey } = createStage();
  const [first, second] = [shares.open(), shares.open()];
  expect(setHotkeys(first, createHotkey('Games: up', 'Ctrl', 'Alt', 'm'))).toEqual([{}]);
  const reports = setHotkeys(
    second,
    createHotkey('Lamp', 'F9'),
    createHotkey('Light', 'Alt', 'Ctrl', 'm'),
    createHotkey('Lamp too', 'F9'),
  );
  expect(reports).toEqual([
    {
      1: 'That key is already used for Games: up. Choose another one',
      2: 'That key is already used for Lamp. Choose another one',
    },
  ]);
  expect(drivers.listChords()).toEqual([createChord('Ctrl', 'Alt', 'm'), createChord('F9')]);
  drivers.pressHotkey(0);
  drivers.pressHotkey(1);
  drivers.pressHotkey(1, true);
  expect(ran).toEqual(['Games: up', 'Lamp', 'Lamp again']);
  setHotkeys(first);
  expect(reports.at(-1)).toEqual({ 2: 'That key is already used for Lamp. Choose another one' });
  drivers.pressHotkey(1);
  expect(ran.at(-1)).toBe('Light');
});

test('a refusal of the computer reaches the tool that requested the key, once for each change', () => {
  const { drivers, shares, createHotkey } = createStage();
  const one = setHotkeys(shares.open(), createHotkey('a', 'a'));
  const other = setHotkeys(shares.open(), createHotkey('b', 'b'), createHotkey('c', 'c'));
  drivers.refuseHotkeys(new Map([[2, 'taken']]));
  drivers.refuseHotkeys(new Map([[2, 'taken']]));
  expect(one).toEqual([{}]);
  expect(other).toEqual([{}, { 1: 'taken' }]);
  drivers.refuseHotkeys(new Map());
  expect(other.at(-1)).toEqual({});
});

test('a paused agent listens for nothing, reports that, and continues afterwards', () => {
  const { drivers, shares, ran, createHotkey } = createStage();
  const reports = setHotkeys(shares.open(), createHotkey('a', 'a'));
  shares.setPaused(true);
  expect(drivers.listChords()).toEqual([]);
  expect(reports.at(-1)).toEqual({ 0: AGENT_PAUSED_MESSAGE });
  drivers.pressHotkey(0);
  shares.setPaused(false);
  shares.setPaused(false);
  expect(reports.at(-1)).toEqual({});
  drivers.pressHotkey(0);
  expect(ran).toEqual(['a']);
});
