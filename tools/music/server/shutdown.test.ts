import { expect, test } from 'vitest';
import type { Job, JobQueue } from '#platform/server/jobs/jobQueue.ts';
import type { ServerTool } from '#platform/server/tool.ts';
import { testOnSqlite } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { serverTools } from '../../../apps/server/tools.ts';
import { createDownloadNotifier } from '../downloads/server/downloadNotifier.ts';

testOnSqlite('a server that stops right after its start leaves no work behind that fails later', async () => {
  const listing = Promise.withResolvers<void>();
  const withSlowFiles = (tool: ServerTool): ServerTool => ({
    ...tool,
    start: (context, site) => {
      async function list(folder: string): Promise<readonly string[]> {
        await listing.promise;
        return context.files.list(folder);
      }
      const files = { ...context.files, list };
      return tool.start(Object.create(context, { files: { value: files } }) as typeof context, site);
    },
  });
  const server = await startServer({
    tools: serverTools.map((tool) => (tool.name === 'music' ? withSlowFiles(tool) : tool)),
  });
  const stopped = server[Symbol.asyncDispose]();
  // Everything else has time to stop before the list of files arrives.
  await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 1000))]);
  listing.resolve();
  await stopped;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(server.log.filter((line) => /destroyed|failed/.test(line))).toEqual([]);
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
