import type { ServerTool } from '#platform/server/tool.ts';
import { calls } from './calls.ts';

export const clipboard: ServerTool = {
  name: 'clipboard',
  migrations: [],
  start: (ground) => ({ calls: calls(ground) }),
};
