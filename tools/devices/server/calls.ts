import type { Device } from '#platform/server/devices/link.ts';
import { type Ground, handle, type Handler } from '#platform/server/tool.ts';
import { checkdevices, devicedetails, type DeviceDetails, renamedevice, revokedevice } from '../contract.ts';
import { checkName } from '../domain/name.ts';

export const deviceCalls = ({ devices, now }: Pick<Ground, 'devices' | 'now'>): readonly Handler[] => {
  const details = (device: Device): DeviceDetails => {
    const state = devices.state(device.id);
    const lastSeen = state === 'Connected' ? now() : device.lastSeen;
    return {
      id: device.id,
      name: device.name,
      kind: device.kind,
      state,
      system: device.system,
      version: device.version,
      abilities: device.abilities,
      paired: device.created.toString(),
      ...(lastSeen === undefined ? {} : { lastSeen: lastSeen.toString() }),
    };
  };
  return [
    handle(checkdevices, async (_request, { account }) => {
      const own = await devices.list(account);
      return {
        status: own.map(({ id, name }): [string, string, string] => [String(id), name, devices.state(id)]),
        kinds: Object.fromEntries(own.map(({ id, kind }) => [String(id), kind])),
      };
    }),
    handle(devicedetails, async (_request, { account }) => ({ devices: (await devices.list(account)).map(details) })),
    handle(renamedevice, async ({ id, name }, { account }) => {
      await devices.rename(account, id, checkName(name));
      return {};
    }),
    handle(revokedevice, async ({ id }, { account }) => {
      await devices.remove(account, id);
      return {};
    }),
  ];
};
