import type { EventDataOf } from '#platform/contract/event.ts';
import { NO_TARGET } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { MAX_LEVELS, setLevels, setvolumefront } from '../contract.ts';
import {
  after,
  differenceOf,
  isNothing,
  NO_LEVELS,
  type Difference,
  type ShownLevel,
  type ComputerLevels,
} from '../domain/levels.ts';

type LevelRequest = EventDataOf<typeof setLevels>;

/** What the connected computers sound like, as they said last. */
export interface Mixer {
  /** @throws Refusal where there is none, it is not connected, or has no sound to be set. */
  readonly chosen: (account: number, target: string | undefined) => Promise<Device>;
  readonly soundOf: (device: Device) => ComputerLevels;
  /** Names that the computer has not are left out. */
  readonly set: (device: Device, wish: LevelRequest) => void;
  /** The computer says what changed; with `isWhole` it says all there is. */
  readonly report: (
    from: { readonly account: number; readonly device: number },
    difference: Difference,
    isWhole: boolean,
  ) => void;
}

/** '' and 'no id' name no device, as nothing does. */
const named = (target: string | undefined): string | undefined =>
  target === '' || target === NO_TARGET ? undefined : target;

/** Colour and output are told with what is new, or where they are others. */
const told = (changed: ReadonlyMap<string, ShownLevel>, before: ReadonlyMap<string, ShownLevel>) =>
  Object.fromEntries(
    [...changed].map(([name, { level, muted, colour, device }]) => [
      name,
      {
        level,
        muted,
        ...(before.get(name)?.colour === colour ? {} : { colour }),
        ...(before.get(name)?.device === device ? {} : { device }),
      },
    ]),
  );

const known = <Value>(wished: Readonly<Record<string, Value>>, there: ReadonlyMap<string, ShownLevel>) =>
  Object.fromEntries(Object.entries(wished).filter(([name]) => there.has(name)));

const atMost = (levels: ReadonlyMap<string, ShownLevel>): ReadonlyMap<string, ShownLevel> =>
  levels.size <= MAX_LEVELS ? levels : new Map([...levels].slice(0, MAX_LEVELS));

export function createMixer({ devices, realtime }: ServerContext): Mixer {
  const sounds = new Map<number, ComputerLevels>();
  devices.onStateChange(({ id }, state) => {
    if (state === 'Disconnected') sounds.delete(id);
  });

  return {
    chosen: async (account, target) => {
      const device = await devices.getSelected(account, named(target));
      if (device.kind === 'browser') throw new Refusal(`${device.name} is a browser, it only takes messages`);
      if (devices.getState(device.id) !== 'Connected') throw new Refusal(`${device.name} is not connected`);
      const { sound } = device.abilities;
      if (sound && !sound.able) throw new Refusal(sound.reason ?? `${device.name} has no sound to be set`);
      return device;
    },
    soundOf: ({ id }) => sounds.get(id) ?? NO_LEVELS,
    set: ({ id }, { sessions, outputs }) => {
      const there = sounds.get(id) ?? NO_LEVELS;
      const wish = { sessions: known(sessions, there.sessions), outputs: known(outputs, there.outputs) };
      if (Object.keys(wish.sessions).length + Object.keys(wish.outputs).length > 0) devices.relay(id, setLevels, wish);
    },
    report: ({ account, device }, difference, isWhole) => {
      // One that has not introduced itself, or is gone, is not waited for: nobody would sweep up after it.
      if (devices.getState(device) !== 'Connected') return;
      const before = sounds.get(device) ?? NO_LEVELS;
      const now = after(isWhole ? NO_LEVELS : before, difference);
      const kept: ComputerLevels = { sessions: atMost(now.sessions), outputs: atMost(now.outputs) };
      sounds.set(device, kept);
      const news = differenceOf(before, kept);
      if (isNothing(news)) return;
      realtime.send(`account:${account}`, setvolumefront, told(news.changed.sessions, before.sessions), {
        target: String(device),
        outputs: told(news.changed.outputs, before.outputs),
        gone: { sessions: [...news.gone.sessions], outputs: [...news.gone.outputs] },
      });
    },
  };
}
