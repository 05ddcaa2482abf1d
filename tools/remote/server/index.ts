import { createRetention, type Retention } from '#platform/server/storage/retention.ts';
import type { ServerTool, ServerContext } from '#platform/server/tool.ts';
import { historyDeleted, motionToDevice, pointerToDevice } from '../contract.ts';
import { createHistoryStore } from './historyStore.ts';
import { createMessageSender, type MessageSender } from './messageSender.ts';
import { migrations } from './migrations.ts';
import { createPasswordFocus, createRemoteListeners } from './remoteEvents.ts';
import { createRemoteHandlers } from './remoteHandlers.ts';
import { createRemoteImport } from './remoteImport.ts';
import { createScriptStore } from './scriptStore.ts';

/** Returns a function that exports an account's scripts and its sent messages by device. */
export function createExporter(
  { database }: ServerContext,
  { getOutcome }: MessageSender,
  retention: Pick<Retention, 'get'>,
) {
  const history = createHistoryStore(database);
  const scripts = createScriptStore(database);
  return async (account: number): Promise<unknown> => ({
    scripts: (await scripts.listTexts(account)).map(({ changed, ...script }) => ({
      ...script,
      changed: String(changed),
    })),
    retention: await retention.get(account),
    messages: (await history.listByAccount(account)).map((sent) => ({
      device: sent.device,
      inputtype: sent.type,
      text: sent.text,
      timesent: sent.timesent,
      ...(sent.unstoredKey === undefined ? {} : { kept: false }),
      outcome: getOutcome(sent),
    })),
  });
}

export const remote: ServerTool = {
  name: 'remote',
  services: ['database', 'cluster', 'realtime', 'devices', 'disk'],
  migrations,
  secretFields: ['inputValue'],
  start: (context, site) => {
    const { realtime } = context;
    const retention = createRetention({
      ...context,
      table: 'remote_message',
      settingsTable: 'remote_retention',
      onExpired: (account, rows) => {
        for (const [device, expired] of Map.groupBy(rows, (row) => row.device))
          realtime.send(`account:${account}`, historyDeleted, {
            target: String(device),
            ids: expired.map(({ id }) => id),
          });
      },
    });
    const messageSender = createMessageSender(context, retention.onInserted);
    const passwordFocus = createPasswordFocus(context);
    return {
      calls: createRemoteHandlers(context, { messageSender, retention, site, passwordFocus }),
      startBackgroundWork: retention.start,
      nightly: retention.purge,
      events: createRemoteListeners(context, passwordFocus),
      newestEvents: [motionToDevice, pointerToDevice],
      exportAccount: createExporter(context, messageSender, retention),
      exportDescription:
        'Your scripts, and what you sent to your computers from the dashboard. `timesent` is in seconds since 1970.',
      importAccount: createRemoteImport(context, retention),
      stop: async () => {
        await retention.stop();
        await messageSender.stop();
      },
    };
  },
};
