import type { Ground, ServerTool } from '#platform/server/tool.ts';
import { serverTools } from '../apps/server/tools.ts';
import { startServer, type TestServer } from './server.ts';

type Options = NonNullable<Parameters<typeof startServer>[0]>;

/** A whole server of which a test holds the ground in its hands, to run by itself what the server runs by the clock. */
export interface HeldServer {
  readonly server: TestServer;
  readonly ground: Ground;
}

export const startHeld = async (options: Options = {}): Promise<HeldServer> => {
  const held: { ground?: Ground } = {};
  const spy: ServerTool = {
    name: 'spy',
    migrations: [],
    start: (ground) => {
      held.ground = ground;
      return { calls: [] };
    },
  };
  const server = await startServer({ rateLimits: false, ...options, tools: [...serverTools, spy] });
  if (!held.ground) throw new Error('the tool was not started');
  return { server, ground: held.ground };
};
