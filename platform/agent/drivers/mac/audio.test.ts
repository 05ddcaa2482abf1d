import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFakeMac, type FakeMac } from '#testing/kits/desktop/mac.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { MacAudio } from './audio.ts';
import { openMacSystemAudio } from './services.ts';

const skipReason = getSkipReason('gcc');
/** How the fakes give a device its volume. */
const MAIN_VOLUME = 1;
const DEVICE_VOLUME = 2;
const CHANNEL_VOLUMES = 3;

describe.skipIf(skipReason)(`sound on macOS, as fakes${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let mac: FakeMac;
  const openSoundWithFakes = (): MacAudio => openMacSystemAudio(mac.libraries);
  beforeAll(() => {
    mac = createFakeMac();
  });
  afterAll(() => mac?.[Symbol.dispose]());

  test('outputs are listed with the default one first, and set', async () => {
    mac.fakes.fake_add_device(40, 'Microphone', 0, MAIN_VOLUME, 0);
    mac.fakes.fake_add_device(41, 'LG Display', 1, 0, 0);
    mac.fakes.fake_add_device(42, 'Kopfhörer', 1, MAIN_VOLUME, 0);
    mac.fakes.fake_add_device(43, 'USB', 1, DEVICE_VOLUME, 0);
    mac.fakes.fake_add_device(44, 'Interface', 1, CHANNEL_VOLUMES, 0);
    mac.fakes.fake_add_device(45, 'Hidden', 1, MAIN_VOLUME, 1);
    mac.fakes.fake_set_default_output(42);
    const liveCount = mac.countLiveObjects();
    await using audio = openSoundWithFakes();
    const listOutputs = () => audio.getState().outputs.map(({ name, level, muted }) => [name, level, muted]);
    expect(audio.getState().sessions).toEqual([]);
    expect(audio.getState().outputs[0]?.device).toBe('Kopfhörer');
    expect(listOutputs()).toEqual([
      ['Master', 50, false],
      ['LG Display', 100, false],
      ['USB', 50, false],
      ['Interface', 50, false],
    ]);
    expect(await audio.set('outputs', 'Master', { level: 37, muted: true })).toBe(true);
    expect(mac.fakes.fake_get_volume(2, 0)).toBeCloseTo(0.37);
    expect(mac.fakes.fake_get_muted(2)).toBe(1);
    expect(await audio.set('outputs', 'USB', { level: 10, muted: false })).toBe(true);
    expect(mac.fakes.fake_get_volume(3, 0)).toBeCloseTo(0.1);
    // The balance stays.
    mac.fakes.fake_set_volume(4, 1, 0.8);
    mac.fakes.fake_set_volume(4, 2, 0.4);
    expect(await audio.set('outputs', 'Interface', { level: 20, muted: false })).toBe(true);
    expect([mac.fakes.fake_get_volume(4, 1), mac.fakes.fake_get_volume(4, 2)]).toEqual([
      expect.closeTo(0.2),
      expect.closeTo(0.1),
    ]);
    // A screen has no volume.
    expect(await audio.set('outputs', 'LG Display', { level: 20, muted: false })).toBe(false);
    expect(await audio.set('outputs', 'nobody', { level: 20, muted: false })).toBe(false);
    expect(await audio.set('outputs', 'Master', { level: 101, muted: false })).toBe(false);
    expect(await audio.set('sessions', 'Master', { level: 20, muted: false })).toBe(false);
    expect(mac.countLiveObjects()).toBe(liveCount);
  });

  test('changes by others and missing outputs are noticed', async () => {
    await using audio = openSoundWithFakes();
    const changed = Promise.withResolvers<number | undefined>();
    audio.onChange(({ outputs }) => changed.resolve(outputs[0]?.level));
    mac.fakes.fake_set_volume(2, 0, 0.9);
    expect(await changed.promise).toBe(90);
    const lost = Promise.withResolvers<void>();
    audio.onAbilityChange(lost.resolve);
    mac.fakes.fake_clear_devices();
    await lost.promise;
    expect(audio.ability).toEqual({ able: false, reason: expect.stringContaining('no sound output') });
  });

  test('who plays and who records is known, with the processes above', async () => {
    mac.fakes.fake_add_process(800, 801, '/Applications/Call.app/Contents/MacOS/Call Helper');
    mac.fakes.fake_add_process(801, 1, '/Applications/Call.app/Contents/MacOS/Call');
    mac.fakes.fake_add_sound(60, 800, 1, 1);
    mac.fakes.fake_add_sound(61, 801, 0, 0);
    await using audio = openSoundWithFakes();
    const use = { session: 'Call Helper', lineage: [800, 801, 1], program: 'Call Helper' };
    expect(audio.listUses()).toEqual([
      { kind: 'playing', ...use },
      { kind: 'recording', ...use },
    ]);
    const changed = Promise.withResolvers<void>();
    audio.onUseChange(changed.resolve);
    mac.fakes.fake_clear_sounds();
    await changed.promise;
    expect(audio.listUses()).toEqual([]);
  });
});
