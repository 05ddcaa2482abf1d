import { describeBrowser } from '#platform/contract/browserName.ts';
import type { ServerContext, ServerTool } from '#platform/server/tool.ts';
import { settingsPage } from '../page.ts';
import { createAccessHandlers } from './accessHandlers.ts';
import { getAccountOverview, listAppPasswords, listSecurityEvents } from './accountOverview.ts';
import { createAccountsHandlers } from './accountsHandlers.ts';
import { createSecondFactorHandlers, getSecondFactor } from './secondFactorHandlers.ts';
import { createSingleSignOnHandlers, getSingleSignOn } from './singleSignOnHandlers.ts';

/** Notifies the subscribed browsers of an account about each login from a new one. */
function startLoginNotifications({ identity, push, log }: Pick<ServerContext, 'identity' | 'push' | 'log'>): void {
  identity.onNewBrowserLogin(({ account, client: { address, browser } }) => {
    const message = {
      title: 'New login to your account',
      body: `${describeBrowser(browser)}, ${address}. If it wasn't you, end this session and change your password`,
      path: `${settingsPage.path}?tab=account`,
      tag: 'login',
    } as const;
    push
      .send(account, message)
      .catch((error: unknown) => log.error({ err: error, account }, 'login.notification.failed'));
  });
}

/** The tables of accounts belong to the platform, so this tool has no migrations. */
export const accounts: ServerTool = {
  name: 'accounts',
  services: ['database', 'identity', 'devices', 'disk', 'security', 'backups', 'push'],
  migrations: [],
  start: (context, site) => {
    startLoginNotifications(context);
    return {
      calls: [
        ...createAccountsHandlers(context, site),
        ...createSecondFactorHandlers(context),
        ...createAccessHandlers(context),
        ...createSingleSignOnHandlers(context, site),
      ],
      exportAccount: async (account) => ({
        ...(await getAccountOverview(context, account)),
        appPasswords: await listAppPasswords(context, account),
        secondFactor: await getSecondFactor(context, account),
        singleSignOn: await getSingleSignOn(context, account),
        securityEvents: await listSecurityEvents(context, account),
      }),
      exportDescription:
        'Your account: its name, creation time, sessions, names of app passwords and passkeys, and security events.',
    };
  },
};
