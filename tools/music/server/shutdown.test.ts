import { expect, test } from 'vitest';
import type { Job, JobQueue } from '#platform/server/jobs/jobQueue.ts';
import type { ServerTool } from '#platform/server/tool.ts';
import { testOnSqlite } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { serverTools } from '../../../apps/server/tools.ts';
import { createDownloadNotifier } from '../downloads/server/downloadNotifier.ts';

testOnSqlite('a server that stops right after its start waits for the work of the start', async () => {
  const listing = Promise.withResolvers<void>();
  const order: string[] = [];
  const withSlowFiles = (tool: ServerTool): ServerTool => ({
    ...tool,
    start: (context, site) => {
      async function list(folder: string): Promise<readonly string[]> {
        if (folder !== 'music/uploads') return context.files.list(folder);
        await listing.promise;
        order.push('listed');
        return [];
      }
      const files = { ...context.files, list };
      return tool.start(Object.create(context, { files: { value: files } }) as typeof context, site);
    },
  });
  // It stops before the music does. The list of files arrives half a second later.
  const first: ServerTool = {
    name: 'first',
    migrations: [],
    start: () => ({ calls: [], stop: async () => void setTimeout(listing.resolve, 500) }),
  };
  const tools = [first, ...serverTools.map((tool) => (tool.name === 'music' ? withSlowFiles(tool) : tool))];
  const server = await startServer({ tools, isCluster: false });
  await server[Symbol.asyncDispose]();
  order.push('stopped');
  await listing.promise;
  expect(order).toEqual(['listed', 'stopped']);
});

test('a stop waits for the progress of a list that is being read', async () => {
  const reading = Promise.withResolvers<undefined>();
  const order: string[] = [];
  const jobs = {
    find: async () => {
      await reading.promise;
      order.push('read');
    },
  } as unknown as JobQueue;
  const notifier = createDownloadNotifier({
    jobs,
    realtime: { send: () => undefined, isEmpty: () => true },
    now: Temporal.Now.instant,
    onFault: (error) => order.push(String(error)),
  });
  const list = { id: 1, account: 1, parent: undefined, result: { kind: 'list' } } as unknown as Job;
  notifier.onJobChange(list);
  const stopped = notifier.stop().then(() => order.push('stopped'));
  notifier.onJobChange({ ...list, id: 2 });
  reading.resolve(undefined);
  await stopped;
  expect(order).toEqual(['read', 'stopped']);
});
