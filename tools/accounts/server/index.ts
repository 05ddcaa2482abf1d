import * as z from 'zod/mini';
import { describeBrowser } from '#platform/contract/browserName.ts';
import { readParsed } from '#platform/server/storage/importSource.ts';
import type { AccountImport, ServerContext, ServerTool } from '#platform/server/tool.ts';
import { settingsPage } from '../page.ts';
import { createAccessHandlers } from './accessHandlers.ts';
import { createAccountImports, IMPORTS_FOLDER, settings } from './accountImports.ts';
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

const exportedSettings = {
  timeZone: z.string().check(z.maxLength(100)),
  secondFactor: z.object({ totpSince: z.optional(z.string()), passkeys: z.array(z.unknown()) }),
};

async function countItems(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _item of items) count += 1;
  return count;
}

/** Creates the import of the account's settings, which names the credentials that can't be imported. */
function createOwnImport({ identity }: Pick<ServerContext, 'identity'>): AccountImport {
  return {
    // Only the time zone is imported, which each page reports again.
    isEmpty: async () => true,
    run: async (account, source) => {
      const zone = await readParsed(source, 'timeZone', exportedSettings.timeZone);
      if (zone !== undefined) await identity.resolveZone(account, zone);
      const appPasswordCount = await countItems(source.iterate('appPasswords'));
      const factors = await readParsed(source, 'secondFactor', exportedSettings.secondFactor);
      const hasFactors = factors !== undefined && (factors.totpSince !== undefined || factors.passkeys.length > 0);
      return {
        counts: {},
        problems: [
          'Not imported: username and password, sessions, notifications and security events',
          ...(appPasswordCount === 0 ? [] : [`Not imported: app passwords (${appPasswordCount}). Create new ones`]),
          ...(hasFactors ? ['Not imported: the second factor. Set it up again'] : []),
        ],
      };
    },
  };
}

/** The tables of accounts belong to the platform, so this tool has no migrations. */
export const accounts: ServerTool = {
  name: 'accounts',
  services: ['database', 'identity', 'devices', 'disk', 'security', 'backups', 'push', 'files', 'jobs'],
  settings,
  changingFolders: [IMPORTS_FOLDER],
  migrations: [],
  start: (context, site) => {
    startLoginNotifications(context);
    const imports = createAccountImports(context, site);
    return {
      calls: [
        ...createAccountsHandlers(context, site),
        ...createSecondFactorHandlers(context),
        ...createAccessHandlers(context, site),
        ...createSingleSignOnHandlers(context, site),
        ...imports.calls,
      ],
      jobKinds: [imports.jobKind],
      nightly: imports.nightly,
      deleteAccountData: imports.deleteAccountData,
      importAccount: createOwnImport(context),
      exportAccount: async (account) => ({
        timeZone: await context.identity.resolveZone(account),
        ...(await getAccountOverview(context, account)),
        appPasswords: await listAppPasswords(context, account),
        secondFactor: await getSecondFactor(context, account),
        singleSignOn: await getSingleSignOn(context, account),
        securityEvents: await listSecurityEvents(context, account),
      }),
      exportDescription:
        'Your account: its name, creation time, time zone, sessions, names of app passwords and passkeys, and security events.',
    };
  },
};
