import { createRetention, type Retention } from '#platform/server/storage/retention.ts';
import type { ServerTool, ServerContext } from '#platform/server/tool.ts';
import { createMessageHandlers, publishDeleted } from './messageHandlers.ts';
import { createMessageImport } from './messageImport.ts';
import { createMessageStore } from './messageStore.ts';
import { migrations } from './migrations.ts';
import { createVisitorExport, createVisitorHandlers } from './visitorHandlers.ts';

/** Returns a function that exports the account's messages by device, oldest first. */
export function createExport(context: ServerContext, retention: Pick<Retention, 'get'>) {
  const { database, devices } = context;
  const messages = createMessageStore(database);
  const exportVisitors = createVisitorExport(context);
  return async (account: number): Promise<unknown> => ({
    devices: (await devices.list(account)).map(({ id, name }) => ({ id, name })),
    retention: await retention.get(account),
    ...(await exportVisitors(account)),
    messages: (await messages.listByAccount(account)).map(
      ({ device, sender, from, type, text, timesent, received }) => ({
        device,
        sender,
        from,
        inputtype: type,
        text,
        timesent,
        received: new Date(received).toISOString(),
      }),
    ),
  });
}

export const messages: ServerTool = {
  name: 'messages',
  services: ['database', 'identity', 'realtime', 'devices', 'disk'],
  migrations,
  secretFields: ['inputValue', 'message2'],
  start: (context) => {
    const retention = createRetention({
      ...context,
      table: 'messages_message',
      settingsTable: 'messages_retention',
      onExpired: (account, rows) =>
        publishDeleted(
          context,
          account,
          rows.map(({ id }) => id),
        ),
    });
    return {
      calls: [...createMessageHandlers(context, retention), ...createVisitorHandlers(context)],
      startBackgroundWork: retention.start,
      nightly: retention.purge,
      deleteDeviceTexts: async ({ tx, afterCommit }, { account, device }) => {
        const ids = await createMessageStore(context.database).removeByDevice(tx, account, device);
        afterCommit(() => publishDeleted(context, account, ids));
      },
      exportAccount: createExport(context, retention),
      importAccount: createMessageImport(context, retention),
      exportDescription:
        "The messages between your devices, oldest first, and visitors' messages if you own this server. `timesent` is in seconds since 1970.",
      stop: retention.stop,
    };
  },
};
