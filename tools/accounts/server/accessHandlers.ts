import { Refusal } from '#platform/contract/refusal.ts';
import type { AccountInfo, InvitationInfo } from '#platform/server/identity/identity.ts';
import { handle, type Handler, type ServerContext, type ServerSite } from '#platform/server/tool.ts';
import {
  invitations,
  makeinvitation,
  revokeinvitation,
  serveraccounts,
  setsignup,
  suspendaccount,
} from '../contract/access.ts';

type Identity = Pick<ServerContext, 'identity'>;

/** @throws Refusal for others than the owner. @param action what only the owner can do */
export async function requireOwner({ identity }: Identity, account: number, action: string): Promise<void> {
  if (!(await identity.findAccount(account))?.isOwner)
    throw new Refusal('account.owner_only', `Only the owner of this server can ${action}`);
}

/** Converts an invitation to the format of the wire. Times are ISO 8601. */
const toWireInvitation = ({ id, name, created, expires, maxUses, uses }: InvitationInfo) => ({
  id,
  name,
  created: String(created),
  expires: String(expires),
  maxUses,
  uses,
});

/** Converts an account to the format of the wire. Times are ISO 8601. */
const toWireAccount = (
  { id, name, isOwner, created, lastSeen, hasSecondFactor, suspended }: AccountInfo,
  storedBytes: number,
) => ({
  id,
  username: name,
  isOwner,
  created: String(created),
  ...(lastSeen === undefined ? {} : { lastSeen: String(lastSeen) }),
  hasSecondFactor,
  storedBytes,
  ...(suspended === undefined ? {} : { suspended: String(suspended) }),
});

/** Creates the handlers of calls with which the owner decides who may join, and who may stay. */
export function createAccessHandlers(context: Identity, site: Pick<ServerSite, 'sumStoredBytes'>): readonly Handler[] {
  const { identity } = context;
  return [
    handle(setsignup, async ({ open, rule }, { account }) => {
      await requireOwner(context, account, 'decide who may sign up');
      const next = rule ?? (open === undefined ? undefined : open ? 'open' : 'closed');
      if (next === undefined) throw new Refusal('account.signup_rule_missing', 'Choose who may sign up');
      await identity.setSignupRule(next);
    }),

    handle(invitations, async (_request, { account }) => {
      await requireOwner(context, account, 'see the invitations');
      return { invitations: (await identity.invitations.list()).map(toWireInvitation) };
    }),

    handle(makeinvitation, async (request, { account, address }) => {
      await requireOwner(context, account, 'invite people');
      const { secret, ...invitation } = await identity.invitations.create(request, { account, address });
      return { ...toWireInvitation(invitation), secret };
    }),

    handle(revokeinvitation, async ({ id }, { account, address }) => {
      await requireOwner(context, account, 'revoke invitations');
      await identity.invitations.revoke(id, { account, address });
    }),

    handle(serveraccounts, async (_request, { account }) => {
      await requireOwner(context, account, 'see its accounts');
      const [accounts, storedBytes] = await Promise.all([identity.listAccounts(), site.sumStoredBytes()]);
      return { accounts: accounts.map((info) => toWireAccount(info, storedBytes.get(info.id) ?? 0)) };
    }),

    handle(suspendaccount, async ({ id, suspended }, { account, address }) => {
      await requireOwner(context, account, 'suspend accounts');
      await identity.setSuspended(id, suspended, { address });
    }),
  ];
}
