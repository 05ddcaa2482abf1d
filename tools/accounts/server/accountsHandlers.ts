import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type Caller, type ServerContext, type Handler, type ServerSite } from '#platform/server/tool.ts';
import {
  apppasswords,
  changepassword,
  checkaccounts,
  deleteaccount,
  endlinks,
  endsessions,
  exportaccount,
  makeapppassword,
  revokeapppassword,
  securityevents,
  serverstate,
  setsignup,
} from '../contract.ts';
import { overviewOf } from './accountOverview.ts';
import { appPasswordsOf, shownOf } from './appPasswords.ts';
import { exportZip } from './exportZip.ts';
import { allEvents, eventsOf, stateOf } from './state.ts';

const originOf = ({ address, browser }: Caller) => ({ address, browser });

export const calls = (ground: ServerContext, site: ServerSite): readonly Handler[] => {
  const { identity } = ground;
  const [overview, appPasswords] = [overviewOf(ground), appPasswordsOf(ground)];
  const zipOfAccount = exportZip(ground, site);
  const [ownEvents, everyEvent, state] = [eventsOf(ground), allEvents(ground), stateOf(ground, site)];
  const checkOwner = async (account: number, may: string): Promise<void> => {
    if (!(await identity.findAccount(account))?.isOwner) throw new Refusal(`Only the owner of this server can ${may}`);
  };
  return [
    handle(checkaccounts, async (_request, { account, session }) => {
      const { sessions, ...rest } = await overview(account);
      return { ...rest, sessions: sessions.map((one) => ({ ...one, own: one.id === session })) };
    }),

    handle(changepassword, async ({ password, newPassword }, caller) => {
      await identity.checkPassword(caller.account, password, originOf(caller));
      return { ended: await identity.changePassword(caller.account, newPassword, caller.session) };
    }),

    handle(endsessions, async ({ ids }, { account, session }) => ({
      ended: await identity.endSessions(account, ids === undefined ? { allBut: session } : { ids }),
    })),

    handle(endlinks, async (_request, { account }) => {
      await identity.revokeLinks(account);
      return {};
    }),

    handle(apppasswords, async (_request, { account }) => ({ passwords: await appPasswords(account) })),

    handle(makeapppassword, async ({ name, kind = 'calendar' }, caller) => {
      const given = { name, kind };
      const { password, ...made } = await identity.appPasswords.create(caller.account, given, originOf(caller));
      return { ...shownOf(made), password };
    }),

    handle(revokeapppassword, async ({ id }, caller) => {
      await identity.appPasswords.revoke(caller.account, id, originOf(caller));
      return {};
    }),

    handle(exportaccount, async ({ password }, caller) => {
      await identity.checkPassword(caller.account, password, originOf(caller));
      return zipOfAccount(caller.account);
    }),

    handle(deleteaccount, async ({ password, username }, caller) => {
      await identity.checkPassword(caller.account, password, originOf(caller));
      if (username.trim() !== (await identity.findAccount(caller.account))?.name)
        throw new Refusal('The name typed is not the name of this account');
      await identity.assertDeletable(caller.account);
      await site.deleteAccountData(caller.account); // while the rows still say which files are the account's
      await identity.deleteAccount(caller.account);
      return {};
    }),

    handle(setsignup, async ({ open }, { account }) => {
      await checkOwner(account, 'open or close sign-up');
      await identity.setSignupOpen(open);
      return {};
    }),

    handle(securityevents, async ({ scope }, { account }) => {
      if (scope !== 'server') return { events: await ownEvents(account) };
      await checkOwner(account, 'see its security events');
      return { events: await everyEvent() };
    }),

    handle(serverstate, async (_request, { account }) => {
      await checkOwner(account, 'see its state');
      return state();
    }),
  ];
};
