import type { ServerTool } from '#platform/server/tool.ts';
import { calls } from './calls.ts';
import { overviewOf } from './overview.ts';

/** The tables of accounts are the ground's own, so there is no migration here. */
export const accounts: ServerTool = {
  name: 'accounts',
  migrations: [],
  start: (ground, site) => ({ calls: calls(ground, site), exportOf: overviewOf(ground) }),
};
