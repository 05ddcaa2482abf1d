import { hash, randomBytes, randomInt } from 'node:crypto';
import { deviceChanged } from '#platform/contract/device.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import { RateLimitError } from '#platform/server/http/rateLimiter.ts';
import type { Account } from '#platform/server/identity/identity.ts';
import { logSecurityEvent } from '#platform/server/operations/logger.ts';
import { type ServerContext, handle, type Handler } from '#platform/server/tool.ts';
import {
  changecomputername,
  checkdevices,
  devicedetails,
  type DeviceDetails,
  getcomputernames,
  renamedevice,
  revokedevice,
  pairdevice,
  requestpairing,
  takepairing,
} from '../contract.ts';
import { checkName, cleanText, NAME_LIMIT } from '../domain/deviceName.ts';
import { pairingStore } from './pairingStore.ts';

/** Wrong codes that one account has entered. */
export interface Tries {
  readonly wrong: number;
  /** Milliseconds since the epoch. */
  readonly last: number;
}

export const WRONG_LIMIT = 5;
export const WRONG_WAIT_MS = 600_000;

export const NO_TRIES: Tries = { wrong: 0, last: 0 };

/** Milliseconds for which the account has to wait; 0 where it may try. */
export function waitOf({ wrong, last }: Tries, now: number): number {
  return wrong >= WRONG_LIMIT ? Math.max(0, last + WRONG_WAIT_MS - now) : 0;
}

/** After another wrong code. Wrong ones are forgotten ten minutes after the last. */
export function afterWrong({ wrong, last }: Tries, now: number): Tries {
  return {
    wrong: now - last >= WRONG_WAIT_MS ? 1 : wrong + 1,
    last: now,
  };
}

/** No I, L, O and U: read aloud or copied by hand they are taken for others. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const CODE_LENGTH = 8;
const LOOK_ALIKES: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0', U: 'V' };

/** A code of 40 bits that a person reads from one screen and enters on another. `random` gives an integer from 0 to below its argument. */
export function generateCode(random: (below: number) => number): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[random(ALPHABET.length)] ?? '').join('');
}

/** The code that a person meant: whatever the case, with or without blanks and hyphens, look-alikes taken for what they look like. */
export function foldCode(entered: string): string {
  return entered
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}]/gu, '')
    .replaceAll(/[ILOU]/g, (letter) => LOOK_ALIKES[letter] ?? letter);
}

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
export function pairingCalls({
  database,
  devices,
  identity,
  limits,
  log,
  now,
  realtime,
}: ServerContext): readonly Handler[] {
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
}

export function deviceCalls({ devices, now }: Pick<ServerContext, 'devices' | 'now'>): readonly Handler[] {
  const details = (device: Device): DeviceDetails => {
    const state = devices.getState(device.id);
    const lastSeen = state === 'Connected' ? now() : device.lastSeen;
    return {
      id: device.id,
      name: device.name,
      kind: device.kind,
      state,
      system: device.system,
      version: device.version,
      abilities: device.abilities,
      paired: device.created.toString(),
      ...(lastSeen === undefined ? {} : { lastSeen: lastSeen.toString() }),
    };
  };
  const computerNames = async (account: number) => {
    const computers = (await devices.list(account)).filter(({ kind }) => kind === 'computer');
    return { computernames: Object.fromEntries(computers.map(({ id, name }) => [String(id), name])) };
  };
  return [
    handle(getcomputernames, (_request, { account }) => computerNames(account)),
    handle(changecomputername, async ({ data }, { account }) => {
      const device = await devices.getOwned(account, String(data.id));
      if (device.kind !== 'computer') throw new Refusal('no such device');
      await devices.rename(account, device.id, checkName(data.name));
      return computerNames(account);
    }),
    handle(checkdevices, async (_request, { account }) => {
      const own = await devices.list(account);
      return {
        status: own.map(({ id, name }): [string, string, string] => [String(id), name, devices.getState(id)]),
        kinds: Object.fromEntries(own.map(({ id, kind }) => [String(id), kind])),
      };
    }),
    handle(devicedetails, async (_request, { account }) => ({ devices: (await devices.list(account)).map(details) })),
    handle(renamedevice, async ({ id, name }, { account }) => {
      await devices.rename(account, id, checkName(name));
      return {};
    }),
    handle(revokedevice, async ({ id }, { account }) => {
      await devices.remove(account, id);
      return {};
    }),
  ];
}
