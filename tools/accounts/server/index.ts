import type { ServerTool } from '#platform/server/tool.ts';
import { overviewOf, appPasswordsOf, eventsOf } from './accountOverview.ts';
import { calls } from './accountsHandlers.ts';

/** The tables of accounts are the ground's own, so there is no migration here. */
export const accounts: ServerTool = {
  name: 'accounts',
  migrations: [],
  start: (ground, site) => {
    const [overview, events, appPasswords] = [overviewOf(ground), eventsOf(ground), appPasswordsOf(ground)];
    return {
      calls: calls(ground, site),
      exportOf: async (account) => ({
        ...(await overview(account)),
        appPasswords: await appPasswords(account),
        securityEvents: await events(account),
      }),
      exportHolds:
        'Your account: its name, when it was made, where it is signed in, its app passwords by name, and what happened to its security.',
    };
  },
};
