import { hash, randomBytes, randomInt } from 'node:crypto';
import { deviceChanged } from '#platform/contract/device.ts';
import { HOUR_SECONDS, MINUTE_MS } from '#platform/contract/duration.ts';
import { countCodePoints } from '#platform/contract/fields.ts';
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
import { pairingStore } from './pairingStore.ts';

/** In Unicode code points. */
const NAME_LIMIT = 40;
/** Control characters, line breaks, lone surrogates, and marks that change the direction of surrounding text. */
const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const CONTROLS = new RegExp(CONTROL.source, 'gu');

/**
 * Validates a name that a user typed and returns it trimmed.
 * @throws {Refusal} if the name is not allowed.
 */
export function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new Refusal('device.name_empty', 'Enter a name for the device');
  if (countCodePoints(trimmed) > NAME_LIMIT)
    throw new Refusal('device.name_too_long', `This name is too long. Enter at most ${NAME_LIMIT} characters`);
  if (CONTROL.test(trimmed))
    throw new Refusal('device.name_invalid', "A name can't contain control characters. Remove them");
  return trimmed;
}

/** Cleans a text that a computer reports about itself. Returns `fallback` if nothing is left. */
export function cleanText(text: string, limit: number, fallback: string): string {
  const clean = Array.from(text.replaceAll(CONTROLS, '').trim()).slice(0, limit).join('').trimEnd();
  return clean === '' ? fallback : clean;
}

/** Wrong codes that an account entered. */
export interface WrongCodeCount {
  readonly wrong: number;
  /** Milliseconds since the epoch. */
  readonly last: number;
}

export const WRONG_LIMIT = 5;
export const WRONG_WAIT_MS = 10 * MINUTE_MS;

export const NO_TRIES: WrongCodeCount = { wrong: 0, last: 0 };

/** Returns how long the account must wait, in milliseconds; 0 if it may try again. */
export function getWaitMs({ wrong, last }: WrongCodeCount, now: number): number {
  return wrong >= WRONG_LIMIT ? Math.max(0, last + WRONG_WAIT_MS - now) : 0;
}

/** Counts another wrong code. The count starts again ten minutes after the last one. */
export function countWrongCode({ wrong, last }: WrongCodeCount, now: number): WrongCodeCount {
  return {
    wrong: now - last >= WRONG_WAIT_MS ? 1 : wrong + 1,
    last: now,
  };
}

/** Without I, L, O and U, which people mistake for other characters. */
const CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const CODE_LENGTH = 8;
const LOOK_ALIKES: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0', U: 'V' };

/** Generates a code of 40 bits that people copy by hand. `random` returns an integer from 0 to below its argument. */
export function generateCode(random: (below: number) => number): string {
  return Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[random(CODE_ALPHABET.length)] ?? '').join('');
}

/** Normalizes a typed code: ignores case, spaces and hyphens, and replaces look-alikes. */
export function foldCode(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}]/gu, '')
    .replaceAll(/[ILOU]/g, (letter) => LOOK_ALIKES[letter] ?? letter);
}

const CODE_TTL_MS = 10 * MINUTE_MS;
/** How long the computer can take its token after the code has expired. */
const TAKE_TTL_MS = 10 * MINUTE_MS;
const PAIRING_RATE = { times: 20, seconds: HOUR_SECONDS };
const MAX_SYSTEM_LENGTH = 100;

const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url');

/** Returns a key that differs for accounts of other servers, and for later accounts with the same name or id. */
const getAccountKey = ({ id, created }: Account): string => hashSecret(`account ${id} ${created.epochMilliseconds}`);

type Outcome = { readonly id: number; readonly name: string } | { readonly waitMs: number } | 'wrong';

/** Creates the handlers of pairing: the computer requests a code, its user enters it, the computer takes its token. */
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

  const generateFreeCode = async (): Promise<string> => {
    for (;;) {
      const code = generateCode((below) => randomInt(below));
      if (!(await pairingStore(db, dialect).isOpen(hashSecret(code), clock()))) return code;
    }
  };

  const pairWithCode = async (account: number, code: string, address: string): Promise<Outcome> =>
    database.transaction(async ({ tx, afterCommit }) => {
      const store = pairingStore(tx, dialect);
      const tries = (await store.lockTries(account)) ?? NO_TRIES;
      const waitMs = getWaitMs(tries, clock());
      if (waitMs > 0) return { waitMs };
      const pairing = await store.claim(hashSecret(code), account, clock());
      if (!pairing) {
        await store.setTries(account, countWrongCode(tries, clock()));
        return 'wrong';
      }
      await store.forgetTries(account);
      const device = await devices.add(tx, { account, kind: 'computer', name: pairing.name, system: pairing.system });
      await store.setDevice(pairing.id, account, device.id);
      afterCommit(() => {
        logSecurityEvent(log, 'device.paired', { account, device: device.id, address });
        const state = devices.getState(device.id);
        realtime.send(`account:${account}`, deviceChanged, { id: device.id, name: device.name, state });
      });
      return { id: device.id, name: device.name };
    });

  return [
    handle(requestpairing, async ({ name, system }) => {
      const code = await generateFreeCode();
      const secret = randomBytes(32).toString('base64url');
      const expires = clock() + CODE_TTL_MS;
      const store = pairingStore(db, dialect);
      await store.removeExpired(clock() - TAKE_TTL_MS);
      await store.add({
        codeHash: hashSecret(code),
        secretHash: hashSecret(secret),
        name: cleanText(name, NAME_LIMIT, 'computer'),
        system: cleanText(system, MAX_SYSTEM_LENGTH, ''),
        expires,
      });
      return { code, secret, expires: Temporal.Instant.fromEpochMilliseconds(expires).toString() };
    }),
    handle(pairdevice, async ({ code }, { account, address }) => {
      await limits.consume('pairing', String(account), PAIRING_RATE);
      const outcome = await pairWithCode(account, foldCode(code), address);
      if (outcome === 'wrong')
        throw new Refusal(
          'device.pairing_code_not_found',
          'No computer has this code. Check it, or run the command again to get a new one',
        );
      if ('waitMs' in outcome)
        throw new RateLimitError(Math.ceil(outcome.waitMs / 1000), 'Too many wrong codes. Try again in 10 minutes');
      return outcome;
    }),
    handle(takepairing, async ({ secret }) => {
      const expiredRefusal = new Refusal(
        'device.pairing_code_expired',
        'The code has expired. Run the command again to get a new one',
      );
      const store = pairingStore(db, dialect);
      const pairing = await store.findBySecret(hashSecret(secret));
      if (!pairing || pairing.expires + TAKE_TTL_MS <= clock()) throw expiredRefusal;
      const { id, account, device, expires } = pairing;
      if (account === null || device === null) {
        if (expires <= clock()) throw expiredRefusal;
        return {};
      }
      const { name } = await devices.getOwned(account, String(device));
      const owner = await identity.findAccount(account);
      if (!owner) throw expiredRefusal;
      return database.transaction(async ({ tx }) => {
        if (!(await pairingStore(tx, dialect).take(id))) throw expiredRefusal;
        const token = await identity.openDeviceSession(tx, account, device);
        return { token, name, account: { key: getAccountKey(owner), name: owner.name } };
      });
    }),
  ];
}

export function deviceCalls({ devices, now }: Pick<ServerContext, 'devices' | 'now'>): readonly Handler[] {
  const toDetails = (device: Device): DeviceDetails => {
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
      if (device.kind !== 'computer') throw new Refusal('device.not_found', 'There is no such device');
      await devices.rename(account, device.id, checkName(data.name));
      return computerNames(account);
    }),
    handle(checkdevices, async (_request, { account }) => {
      const listed = await devices.list(account);
      return {
        status: listed.map(({ id, name }): [string, string, string] => [String(id), name, devices.getState(id)]),
        kinds: Object.fromEntries(listed.map(({ id, kind }) => [String(id), kind])),
      };
    }),
    handle(devicedetails, async (_request, { account }) => ({ devices: (await devices.list(account)).map(toDetails) })),
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
