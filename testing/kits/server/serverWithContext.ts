import type { ServerContext, ServerTool } from '#platform/server/tool.ts';
import { serverTools } from '../../../apps/server/tools.ts';
import { startServer, type TestServer } from './server.ts';

type Options = NonNullable<Parameters<typeof startServer>[0]>;

/** A whole server with its context, so that a test can run scheduled work itself. */
export interface ServerWithContext {
  readonly server: TestServer;
  readonly context: ServerContext;
}

export async function startServerWithContext(options: Options = {}): Promise<ServerWithContext> {
  const captured: { context?: ServerContext } = {};
  const spy: ServerTool = {
    name: 'spy',
    migrations: [],
    start: (context) => {
      captured.context = context;
      return { calls: [] };
    },
  };
  const server = await startServer({ rateLimits: false, ...options, tools: [...serverTools, spy] });
  if (!captured.context) throw new Error('the tool was not started');
  return { server, context: captured.context };
}
