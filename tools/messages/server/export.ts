import type { ServerContext } from '#platform/server/tool.ts';
import { messageStore } from './messageStore.ts';
import { visitorExport } from './visitorHandlers.ts';

/** The account's messages by device, oldest first. */
export const exportOf = (ground: ServerContext) => {
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
};
