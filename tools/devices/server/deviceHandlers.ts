import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import { type ServerContext, handle, type Handler } from '#platform/server/tool.ts';
import {
  changecomputername,
  checkdevices,
  devicedetails,
  type DeviceDetails,
  getcomputernames,
  renamedevice,
  revokedevice,
} from '../contract.ts';
import { checkName } from '../domain/deviceName.ts';

export const deviceCalls = ({ devices, now }: Pick<ServerContext, 'devices' | 'now'>): readonly Handler[] => {
  const details = (device: Device): DeviceDetails => {
    const state = devices.getState(device.id);
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
  const computerNames = async (account: number) => {
    const computers = (await devices.list(account)).filter(({ kind }) => kind === 'computer');
    return { computernames: Object.fromEntries(computers.map(({ id, name }) => [String(id), name])) };
  };
  return [
    handle(getcomputernames, (_request, { account }) => computerNames(account)),
    handle(changecomputername, async ({ data }, { account }) => {
      const device = await devices.getOwned(account, String(data.id));
      if (device.kind !== 'computer') throw new Refusal('no such device');
      await devices.rename(account, device.id, checkName(data.name));
      return computerNames(account);
    }),
    handle(checkdevices, async (_request, { account }) => {
      const own = await devices.list(account);
      return {
        status: own.map(({ id, name }): [string, string, string] => [String(id), name, devices.getState(id)]),
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
