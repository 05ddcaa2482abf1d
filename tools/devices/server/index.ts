import type { ServerTool } from '#platform/server/tool.ts';
import { createDeviceHandlers, createPairingHandlers } from './deviceHandlers.ts';
import { migrations } from './migrations.ts';

export const devices: ServerTool = {
  name: 'devices',
  services: ['database', 'identity', 'realtime', 'devices', 'rateLimiter'],
  migrations,
  start: (context) => ({
    calls: [...createDeviceHandlers(context), ...createPairingHandlers(context)],
    exportAccount: async (account) =>
      (await context.devices.list(account)).map(({ created, lastSeen, account: _own, ...device }) => ({
        ...device,
        paired: created.toString(),
        lastSeen: lastSeen?.toString(),
      })),
    exportDescription:
      'Your computers and browsers: their names, permissions, and when they were paired and last seen.',
  }),
};
