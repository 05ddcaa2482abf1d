import { Refusal } from '#platform/contract/refusal.ts';
import { getRedirectUri, setSignOnCookie } from '#platform/server/identity/sessionHandlers.ts';
import { handle, type Caller, type Handler, type ServerContext, type ServerSite } from '#platform/server/tool.ts';
import { linksinglesignon, singlesignon, unlinksinglesignon } from '../contract/singleSignOn.ts';
import { settingsPage } from '../page.ts';

/** Describes the link to the OpenID provider. Times are ISO 8601. */
export async function getSingleSignOn({ identity }: Pick<ServerContext, 'identity'>, account: number) {
  const { singleSignOn } = identity;
  const link = await singleSignOn?.get(account);
  return {
    ...(singleSignOn === undefined ? {} : { provider: singleSignOn.name }),
    ...(link === undefined ? {} : { link: { label: link.label, created: String(link.created) } }),
  };
}

export function createSingleSignOnHandlers(
  { identity }: Pick<ServerContext, 'identity'>,
  { basePath, getState }: Pick<ServerSite, 'basePath' | 'getState'>,
): readonly Handler[] {
  function requireSingleSignOn() {
    if (identity.singleSignOn === undefined)
      throw new Refusal('signon.not_set_up', 'This server has no single sign-on. Its owner can set it up');
    return identity.singleSignOn;
  }
  const checkPassword = (caller: Caller & { readonly account: number }, password: string): Promise<void> =>
    identity.checkPassword(caller.account, password, { address: caller.address, browser: caller.browser });
  return [
    handle(singlesignon, async (_request, { account }) => getSingleSignOn({ identity }, account)),

    handle(linksinglesignon, async ({ password }, caller) => {
      const singleSignOn = requireSingleSignOn();
      await checkPassword(caller, password);
      const redirectUri = getRedirectUri(caller, { publicOrigins: getState().publicOrigins, basePath });
      const path = `${settingsPage.path}?tab=account`;
      const { address, ticket } = await singleSignOn.startLink(caller.account, { redirectUri, path });
      setSignOnCookie(caller, ticket);
      return { address };
    }),

    handle(unlinksinglesignon, async ({ password }, caller) => {
      const singleSignOn = requireSingleSignOn();
      await checkPassword(caller, password);
      if (!(await singleSignOn.unlink(caller.account, caller)))
        throw new Refusal('signon.not_linked', 'This account is not linked. Reload the page');
    }),
  ];
}
