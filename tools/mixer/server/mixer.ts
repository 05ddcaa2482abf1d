import type { EventDataOf } from '#platform/contract/event.ts';
import { NO_TARGET } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createReplicatedMap, type JsonCodec } from '#platform/server/cluster/replicatedMap.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { MAX_LEVELS, setLevels, setvolumefront } from '../contract.ts';
import {
  applyDifference,
  diffLevels,
  isEmptyDifference,
  NO_LEVELS,
  type LevelDifference,
  type LevelGroup,
  type SliderLevel,
  type ComputerLevels,
} from '../domain/levels.ts';

type LevelRequest = EventDataOf<typeof setLevels>;

/** The levels of the connected computers, as they last reported them. */
export interface Mixer {
  /**
   * Returns the selected computer.
   * @throws Refusal if there is none, it is not connected, or its sound can't be set.
   */
  readonly getSelectedDevice: (account: number, target: string | undefined) => Promise<Device>;
  readonly getLevels: (device: Device) => ComputerLevels;
  /** Sets levels; names that the computer does not have are ignored. */
  readonly set: (device: Device, request: LevelRequest) => void;
  /** Applies a report of the computer: with `isWhole` it replaces all levels, otherwise it is a difference. */
  readonly report: (
    sender: { readonly account: number; readonly device: number },
    difference: LevelDifference,
    isWhole: boolean,
  ) => void;
}

/** '' and 'no id' mean that no device is named. */
const normalizeTarget = (target: string | undefined): string | undefined =>
  target === '' || target === NO_TARGET ? undefined : target;

/** Includes colour and output only if they are new or have changed. */
const toChanges = (changed: ReadonlyMap<string, SliderLevel>, previous: ReadonlyMap<string, SliderLevel>) =>
  Object.fromEntries(
    [...changed].map(([name, { level, muted, colour, device }]) => [
      name,
      {
        level,
        muted,
        ...(previous.get(name)?.colour === colour ? {} : { colour }),
        ...(previous.get(name)?.device === device ? {} : { device }),
      },
    ]),
  );

const pickKnown = <Value>(settings: Readonly<Record<string, Value>>, known: ReadonlyMap<string, SliderLevel>) =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => known.has(name)));

const limitLevels = (levels: ReadonlyMap<string, SliderLevel>): ReadonlyMap<string, SliderLevel> =>
  levels.size <= MAX_LEVELS ? levels : new Map([...levels].slice(0, MAX_LEVELS));

/** Levels in messages between instances. */
const levelsCodec: JsonCodec<ComputerLevels> = {
  encode: ({ sessions, outputs }) => ({ sessions: [...sessions], outputs: [...outputs] }),
  decode: ({ sessions, outputs }: Record<LevelGroup, readonly (readonly [string, SliderLevel])[]>) => ({
    sessions: new Map(sessions),
    outputs: new Map(outputs),
  }),
};

export function createMixer({ devices, realtime, cluster }: ServerContext): Mixer {
  const levelsByDevice = createReplicatedMap(cluster, 'mixer levels', levelsCodec);
  devices.onStateChange(({ id }, state) => {
    if (state === 'Disconnected') levelsByDevice.delete(id);
  });

  return {
    getSelectedDevice: async (account, target) => {
      const device = await devices.getSelected(account, normalizeTarget(target));
      if (device.kind === 'browser')
        throw new Refusal(
          'device.is_browser',
          `${device.name} is a browser, so it only receives messages. Choose a computer`,
        );
      if (devices.getState(device.id) !== 'Connected')
        throw new Refusal('device.not_connected', `${device.name} is not connected`);
      const { sound } = device.abilities;
      if (sound && !sound.able)
        throw new Refusal('device.feature_off', sound.reason ?? `${device.name} does not allow volume control`);
      return device;
    },
    getLevels: ({ id }) => levelsByDevice.get(id) ?? NO_LEVELS,
    set: ({ id }, { sessions, outputs }) => {
      const known = levelsByDevice.get(id) ?? NO_LEVELS;
      const request = { sessions: pickKnown(sessions, known.sessions), outputs: pickKnown(outputs, known.outputs) };
      if (Object.keys(request.sessions).length + Object.keys(request.outputs).length > 0)
        devices.relay(id, setLevels, request);
    },
    report: ({ account, device }, difference, isWhole) => {
      // Otherwise nothing would remove the levels later.
      if (devices.getState(device) !== 'Connected') return;
      const previous = levelsByDevice.get(device) ?? NO_LEVELS;
      const current = applyDifference(isWhole ? NO_LEVELS : previous, difference);
      const nextLevels: ComputerLevels = {
        sessions: limitLevels(current.sessions),
        outputs: limitLevels(current.outputs),
      };
      levelsByDevice.set(device, nextLevels);
      const changes = diffLevels(previous, nextLevels);
      if (isEmptyDifference(changes)) return;
      realtime.send(`account:${account}`, setvolumefront, toChanges(changes.changed.sessions, previous.sessions), {
        target: String(device),
        outputs: toChanges(changes.changed.outputs, previous.outputs),
        gone: { sessions: [...changes.gone.sessions], outputs: [...changes.gone.outputs] },
      });
    },
  };
}
