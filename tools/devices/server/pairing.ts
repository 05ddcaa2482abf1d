import { hash, randomBytes, randomInt } from 'node:crypto';
import { deviceChanged } from '#platform/contract/device.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { RateLimitError } from '#platform/server/http/rateLimiter.ts';
import type { Account } from '#platform/server/identity/identity.ts';
import { logSecurityEvent } from '#platform/server/operations/logger.ts';
import { type ServerContext, handle, type Handler } from '#platform/server/tool.ts';
import { pairdevice, requestpairing, takepairing } from '../contract.ts';
import { cleanText, NAME_LIMIT } from '../domain/deviceName.ts';
import { foldCode, generateCode } from '../domain/pairingCode.ts';
import { afterWrong, NO_TRIES, waitOf } from '../domain/tries.ts';
import { pairingStore } from './pairingStore.ts';

const LIFE_MS = 600_000;
/** A code entered in its last second is still taken by its computer. */
const TAKE_MS = 600_000;
const PAIRING_RATE = { times: 20, seconds: 3600 };
const SYSTEM_LIMIT = 100;

const hashOf = (secret: string): string => hash('sha256', secret, 'base64url');

/** Also tells apart accounts of one name or number that came after each other, or are of different servers. */
const accountKey = ({ id, created }: Account): string => hashOf(`account ${id} ${created.epochMilliseconds}`);

type Outcome = { readonly id: number; readonly name: string } | { readonly waitMs: number } | 'wrong';

/** The three steps of pairing: the computer asks for a code, its user enters it, the computer takes its token. */
export const pairingCalls = ({
  database,
  devices,
  identity,
  limits,
  log,
  now,
  realtime,
}: ServerContext): readonly Handler[] => {
  const { db, dialect } = database;
  const clock = (): number => now().epochMilliseconds;

  const freeCode = async (): Promise<string> => {
    for (;;) {
      const code = generateCode((below) => randomInt(below));
      if (!(await pairingStore(db, dialect).isOpen(hashOf(code), clock()))) return code;
    }
  };

  const enter = async (account: number, code: string, address: string): Promise<Outcome> =>
    database.transaction(async ({ tx, afterCommit }) => {
      const store = pairingStore(tx, dialect);
      const tries = (await store.lockTries(account)) ?? NO_TRIES;
      const waitMs = waitOf(tries, clock());
      if (waitMs > 0) return { waitMs };
      const found = await store.claim(hashOf(code), account, clock());
      if (!found) {
        await store.setTries(account, afterWrong(tries, clock()));
        return 'wrong';
      }
      await store.forgetTries(account);
      const device = await devices.add(tx, { account, kind: 'computer', name: found.name, system: found.system });
      await store.setDevice(found.id, account, device.id);
      afterCommit(() => {
        logSecurityEvent(log, 'device.paired', { account, device: device.id, address });
        const state = devices.getState(device.id);
        realtime.send(`account:${account}`, deviceChanged, { id: device.id, name: device.name, state });
      });
      return { id: device.id, name: device.name };
    });

  return [
    handle(requestpairing, async ({ name, system }) => {
      const code = await freeCode();
      const secret = randomBytes(32).toString('base64url');
      const expires = clock() + LIFE_MS;
      const store = pairingStore(db, dialect);
      await store.sweep(clock() - TAKE_MS);
      await store.add({
        codeHash: hashOf(code),
        secretHash: hashOf(secret),
        name: cleanText(name, NAME_LIMIT, 'computer'),
        system: cleanText(system, SYSTEM_LIMIT, ''),
        expires,
      });
      return { code, secret, expires: Temporal.Instant.fromEpochMilliseconds(expires).toString() };
    }),
    handle(pairdevice, async ({ code }, { account, address }) => {
      await limits.consume('pairing', String(account), PAIRING_RATE);
      const outcome = await enter(account, foldCode(code), address);
      if (outcome === 'wrong')
        throw new Refusal('No computer shows this code. Check it, or run the line again for a new one');
      if ('waitMs' in outcome)
        throw new RateLimitError(Math.ceil(outcome.waitMs / 1000), 'Too many wrong codes, try again in ten minutes');
      return outcome;
    }),
    handle(takepairing, async ({ secret }) => {
      const gone = new Refusal('The code has expired. Run the line again for a new one');
      const store = pairingStore(db, dialect);
      const pairing = await store.bySecret(hashOf(secret));
      if (!pairing || pairing.expires + TAKE_MS <= clock()) throw gone;
      const { id, account, device, expires } = pairing;
      if (account === null || device === null) {
        if (expires <= clock()) throw gone;
        return {};
      }
      const { name } = await devices.getOwned(account, String(device));
      const owner = await identity.findAccount(account);
      if (!owner) throw gone;
      return database.transaction(async ({ tx }) => {
        if (!(await pairingStore(tx, dialect).take(id))) throw gone;
        const token = await identity.openDeviceSession(tx, account, device);
        return { token, name, account: { key: accountKey(owner), name: owner.name } };
      });
    }),
  ];
};
