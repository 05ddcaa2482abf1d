import { describeBrowser } from '#platform/contract/browserName.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { settingsPage } from '../page.ts';

/** Notifies the subscribed browsers of an account about each login from a new one. */
export function startLoginNotifications({
  identity,
  push,
  log,
}: Pick<ServerContext, 'identity' | 'push' | 'log'>): void {
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
