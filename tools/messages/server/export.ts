import type { Ground } from '#platform/server/tool.ts';
import { messageStore } from './store.ts';

/** The account's messages by device, oldest first. */
export const exportOf = ({ database }: Ground) => {
  const messages = messageStore(database);
  return async (account: number): Promise<unknown> => ({
    messages: (await messages.ofAccount(account)).map(({ device, sender, type, text, timesent }) => ({
      device,
      sender,
      inputtype: type,
      text,
      timesent,
    })),
  });
};
