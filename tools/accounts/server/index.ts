import type { ServerTool } from '#platform/server/tool.ts';
import { createAccountOverview, createAppPasswordList, createSecurityEventList } from './accountOverview.ts';
import { createAccountsHandlers } from './accountsHandlers.ts';

/** The tables of accounts belong to the platform, so this tool has no migrations. */
export const accounts: ServerTool = {
  name: 'accounts',
  services: ['database', 'identity', 'devices', 'disk', 'security'],
  migrations: [],
  start: (context, site) => {
    const [overview, events, appPasswords] = [
      createAccountOverview(context),
      createSecurityEventList(context),
      createAppPasswordList(context),
    ];
    return {
      calls: createAccountsHandlers(context, site),
      exportAccount: async (account) => ({
        ...(await overview(account)),
        appPasswords: await appPasswords(account),
        securityEvents: await events(account),
      }),
      exportDescription: 'Your account: its name, creation time, sessions, names of app passwords and security events.',
    };
  },
};
