import type { NewRecoveryCodes, PasskeyInfo } from '#platform/server/identity/identity.ts';
import { handle, type Caller, type Handler, type ServerContext } from '#platform/server/tool.ts';
import {
  addpasskey,
  addtotp,
  makerecoverycodes,
  removepasskey,
  removetotp,
  renamepasskey,
  secondfactor,
  startpasskey,
  starttotp,
} from '../contract.ts';

type Identity = Pick<ServerContext, 'identity'>;

/** Converts a passkey to the format of the wire. Times are ISO 8601. */
const toWirePasskey = ({ id, name, host, created, lastUsed }: PasskeyInfo) => ({
  id,
  name,
  host,
  created: String(created),
  ...(lastUsed === undefined ? {} : { lastUsed: String(lastUsed) }),
});

const toWireRecoveryCodes = ({ recoveryCodes }: NewRecoveryCodes) =>
  recoveryCodes === undefined ? {} : { recoveryCodes: [...recoveryCodes] };

/** Describes the second factors of an account, without any secret. */
export async function getSecondFactor({ identity }: Identity, account: number) {
  const { totpSince, passkeys, recoveryCodeCount } = await identity.secondFactors.get(account);
  return {
    ...(totpSince === undefined ? {} : { totpSince: String(totpSince) }),
    passkeys: passkeys.map(toWirePasskey),
    recoveryCodes: recoveryCodeCount,
  };
}

export function createSecondFactorHandlers({ identity }: Identity): readonly Handler[] {
  const { secondFactors } = identity;
  const checkPassword = (caller: Caller & { readonly account: number }, password: string): Promise<void> =>
    identity.checkPassword(caller.account, password, { address: caller.address, browser: caller.browser });
  return [
    handle(secondfactor, async (_request, { account }) => getSecondFactor({ identity }, account)),

    handle(starttotp, async ({ password }, caller) => {
      await checkPassword(caller, password);
      return secondFactors.startTotp(caller.account, caller);
    }),

    handle(addtotp, async (request, caller) =>
      toWireRecoveryCodes(await secondFactors.addTotp(caller.account, request, caller)),
    ),

    handle(removetotp, async ({ password }, caller) => {
      await checkPassword(caller, password);
      await secondFactors.removeTotp(caller.account, caller);
    }),

    handle(startpasskey, async ({ password }, caller) => {
      await checkPassword(caller, password);
      return secondFactors.startPasskey(caller.account, caller);
    }),

    handle(addpasskey, async (request, caller) => {
      const added = await secondFactors.addPasskey(caller.account, request, caller);
      return { ...toWirePasskey(added), ...toWireRecoveryCodes(added) };
    }),

    handle(renamepasskey, async ({ id, name }, { account }) => {
      await secondFactors.renamePasskey(account, id, name);
    }),

    handle(removepasskey, async ({ id, password }, caller) => {
      await checkPassword(caller, password);
      await secondFactors.removePasskey(caller.account, id, caller);
    }),

    handle(makerecoverycodes, async ({ password }, caller) => {
      await checkPassword(caller, password);
      return { recoveryCodes: [...(await secondFactors.createRecoveryCodes(caller.account, caller))] };
    }),
  ];
}
