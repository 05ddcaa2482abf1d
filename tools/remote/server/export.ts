import type { Ground } from '#platform/server/tool.ts';
import { historyStore } from './history.ts';
import { scriptStore } from './scripts.ts';

/** The account's scripts, and its sent messages by device. */
export const exportOf = ({ database }: Ground) => {
  const history = historyStore(database);
  const scripts = scriptStore(database);
  return async (account: number): Promise<unknown> => ({
    scripts: await scripts.texts(account),
    messages: (await history.ofAccount(account)).map(({ device, type, text, timesent, outcome }) => ({
      device,
      inputtype: type,
      text,
      timesent,
      outcome,
    })),
  });
};
