import type { ServerTool } from '#platform/server/tool.ts';
import { getAccountOverview, listAppPasswords, listSecurityEvents } from './accountOverview.ts';
import { createAccountsHandlers } from './accountsHandlers.ts';
import { startLoginNotifications } from './loginNotifications.ts';
import { createSecondFactorHandlers, getSecondFactor } from './secondFactorHandlers.ts';

/** The tables of accounts belong to the platform, so this tool has no migrations. */
export const accounts: ServerTool = {
  name: 'accounts',
  services: ['database', 'identity', 'devices', 'disk', 'security', 'backups', 'push'],
  migrations: [],
  start: (context, site) => {
    startLoginNotifications(context);
    return {
      calls: [...createAccountsHandlers(context, site), ...createSecondFactorHandlers(context)],
      exportAccount: async (account) => ({
        ...(await getAccountOverview(context, account)),
        appPasswords: await listAppPasswords(context, account),
        secondFactor: await getSecondFactor(context, account),
        securityEvents: await listSecurityEvents(context, account),
      }),
      exportDescription:
        'Your account: its name, creation time, sessions, names of app passwords and passkeys, and security events.',
    };
  },
};
