import { createRetention } from '#platform/server/storage/retention.ts';
import type { ServerTool, ServerContext } from '#platform/server/tool.ts';
import { calls, tellDeleted } from './messageHandlers.ts';
import { messageStore } from './messageStore.ts';
import { migrations } from './migrations.ts';
import { visitorCalls, visitorExport } from './visitorHandlers.ts';

/** The account's messages by device, oldest first. */
export function exportOf(ground: ServerContext) {
  const { database } = ground;
  const messages = messageStore(database);
  const visitorsOf = visitorExport(ground);
  return async (account: number): Promise<unknown> => ({
    ...(await visitorsOf(account)),
    messages: (await messages.ofAccount(account)).map(({ device, sender, from, type, text, timesent }) => ({
      device,
      sender,
      from,
      inputtype: type,
      text,
      timesent,
    })),
  });
}

export const messages: ServerTool = {
  name: 'messages',
  migrations,
  start: (ground) => {
    const retention = createRetention({
      ...ground,
      table: 'messages_message',
      settingsTable: 'messages_retention',
      onExpired: (account, rows) =>
        tellDeleted(
          ground,
          account,
          rows.map(({ id }) => id),
        ),
    });
    return {
      calls: [...calls(ground, retention), ...visitorCalls(ground)],
      begin: retention.start,
      nightly: retention.purge,
      deleteDeviceTexts: async ({ tx, afterCommit }, { account, device }) => {
        const ids = await messageStore(ground.database).removeOfDevice(tx, account, device);
        afterCommit(() => tellDeleted(ground, account, ids));
      },
      exportOf: exportOf(ground),
      exportHolds:
        "The messages between your devices, oldest first, and, for this server's owner, those of visitors. `timesent` is in seconds since 1970.",
      stop: retention.stop,
    };
  },
};
