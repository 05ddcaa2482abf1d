import type { ServerContext } from '#platform/server/tool.ts';
import { historyStore } from './historyStore.ts';
import type { MessageSender } from './messageSender.ts';
import { scriptStore } from './scriptStore.ts';

/** The account's scripts, and its sent messages by device. */
export const exportOf = ({ database }: ServerContext, { outcomeNow }: MessageSender) => {
  const history = historyStore(database);
  const scripts = scriptStore(database);
  return async (account: number): Promise<unknown> => ({
    scripts: await scripts.texts(account),
    messages: (await history.ofAccount(account)).map((sent) => ({
      device: sent.device,
      inputtype: sent.type,
      text: sent.text,
      timesent: sent.timesent,
      ...(sent.unstoredKey === undefined ? {} : { kept: false }),
      outcome: outcomeNow(sent),
    })),
  });
};
