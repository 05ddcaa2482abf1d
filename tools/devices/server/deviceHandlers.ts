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
import { createPairingStore } from './pairingStore.ts';

/** In Unicode code points. */
const MAX_NAME_LENGTH = 40;
/** Control characters, line breaks, lone surrogates, and marks that change the direction of surrounding text. */
const CONTROL_CHARACTER_PATTERN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const CONTROL_CHARACTERS_PATTERN = new RegExp(CONTROL_CHARACTER_PATTERN.source, 'gu');

/**
 * Validates a name that a user entered, and returns it trimmed.
 * @throws {Refusal} if the name is not allowed.
 */
export function validateDeviceName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new Refusal('device.name_empty', 'Enter a name for the device');
  if (countCodePoints(trimmed) > MAX_NAME_LENGTH)
    throw new Refusal('device.name_too_long', `This name is too long. Enter at most ${MAX_NAME_LENGTH} characters`);
  if (CONTROL_CHARACTER_PATTERN.test(trimmed))
    throw new Refusal('device.name_invalid', "A name can't contain control characters. Remove them");
  return trimmed;
}

/** Removes control characters from a text that a computer reports about itself. `fallback` replaces an empty text. */
export function cleanText(text: string, maxLength: number, fallback: string): string {
  const cleaned = Array.from(text.replaceAll(CONTROL_CHARACTERS_PATTERN, '').trim())
    .slice(0, maxLength)
    .join('')
    .trimEnd();
  return cleaned === '' ? fallback : cleaned;
}

/** The wrong codes that an account has entered. */
export interface WrongCodes {
  readonly wrong: number;
  /** Milliseconds since the epoch. */
  readonly last: number;
}

export const MAX_WRONG_CODES = 5;
export const LOCKOUT_MS = 10 * MINUTE_MS;

export const NO_WRONG_CODES: WrongCodes = { wrong: 0, last: 0 };

/** Returns how long the account must wait, in milliseconds; 0 if it may try again. */
export function getLockoutMs({ wrong, last }: WrongCodes, now: number): number {
  return wrong >= MAX_WRONG_CODES ? Math.max(0, last + LOCKOUT_MS - now) : 0;
}

/** Counts another wrong code. The count starts again ten minutes after the last one. */
export function countWrongCode({ wrong, last }: WrongCodes, now: number): WrongCodes {
  return { wrong: now - last >= LOCKOUT_MS ? 1 : wrong + 1, last: now };
}

/** Without I, L, O and U, which people mistake for other characters. */
const CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const CODE_LENGTH = 8;
const LOOK_ALIKES: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0', U: 'V' };

/**
 * Generates a code of 40 bits that people copy by hand.
 * @param random returns an integer from 0 to below its argument
 */
export function generateCode(random: (max: number) => number): string {
  return Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[random(CODE_ALPHABET.length)] ?? '').join('');
}

/** Normalizes a typed code: ignores case and everything but letters and digits, and replaces look-alikes. */
export function normalizeCode(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll(/[ILOU]/g, (letter) => LOOK_ALIKES[letter] ?? letter);
}

const CODE_TTL_MS = 10 * MINUTE_MS;
/** How long the computer can request its token after the code has expired. */
const TOKEN_PICKUP_TTL_MS = 10 * MINUTE_MS;
const PAIRING_RATE = { times: 20, seconds: HOUR_SECONDS };
const MAX_SYSTEM_LENGTH = 100;

const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url');

/** Returns a key that differs for accounts of other servers, and for later accounts with the same name or id. */
const getAccountKey = ({ id, created }: Account): string => hashSecret(`account ${id} ${created.epochMilliseconds}`);

type PairingOutcome = { readonly id: number; readonly name: string } | { readonly waitMs: number } | 'wrong';

/** Pairing: the computer requests a code, its user enters it, and the computer gets its token. */
export function createPairingHandlers(context: ServerContext): readonly Handler[] {
  const { database, devices, identity, rateLimiter, log, now, realtime } = context;
  const { db, dialect } = database;
  const getNowMs = (): number => now().epochMilliseconds;

  async function generateFreeCode(): Promise<string> {
    for (;;) {
      const code = generateCode((max) => randomInt(max));
      if (!(await createPairingStore(db, dialect).isOpen(hashSecret(code), getNowMs()))) return code;
    }
  }

  const pairWithCode = async (account: number, code: string, address: string): Promise<PairingOutcome> =>
    database.transaction(async ({ tx, afterCommit }) => {
      const store = createPairingStore(tx, dialect);
      const wrongCodes = (await store.lockWrongCodes(account)) ?? NO_WRONG_CODES;
      const waitMs = getLockoutMs(wrongCodes, getNowMs());
      if (waitMs > 0) return { waitMs };
      const pairing = await store.claim(hashSecret(code), account, getNowMs());
      if (!pairing) {
        await store.saveWrongCodes(account, countWrongCode(wrongCodes, getNowMs()));
        return 'wrong';
      }
      await store.removeWrongCodes(account);
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
      const expires = getNowMs() + CODE_TTL_MS;
      const store = createPairingStore(db, dialect);
      await store.removeExpired(getNowMs() - TOKEN_PICKUP_TTL_MS);
      await store.insert({
        codeHash: hashSecret(code),
        secretHash: hashSecret(secret),
        name: cleanText(name, MAX_NAME_LENGTH, 'computer'),
        system: cleanText(system, MAX_SYSTEM_LENGTH, ''),
        expires,
      });
      return { code, secret, expires: Temporal.Instant.fromEpochMilliseconds(expires).toString() };
    }),
    handle(pairdevice, async ({ code }, { account, address }) => {
      await rateLimiter.consume('pairing', String(account), PAIRING_RATE);
      const outcome = await pairWithCode(account, normalizeCode(code), address);
      if (outcome === 'wrong')
        throw new Refusal(
          'device.pairing_code_not_found',
          'No computer shows this code. Check it there: after 10 minutes the computer shows a new one',
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
      const store = createPairingStore(db, dialect);
      const pairing = await store.findBySecret(hashSecret(secret));
      if (!pairing || pairing.expires + TOKEN_PICKUP_TTL_MS <= getNowMs()) throw expiredRefusal;
      const { id, account, device, expires } = pairing;
      if (account === null || device === null) {
        if (expires <= getNowMs()) throw expiredRefusal;
        return {};
      }
      const { name } = await devices.getOwned(account, String(device));
      const owner = await identity.findAccount(account);
      if (!owner) throw expiredRefusal;
      return database.transaction(async ({ tx }) => {
        if (!(await createPairingStore(tx, dialect).remove(id))) throw expiredRefusal;
        const token = await identity.openDeviceSession(tx, account, device);
        return { token, name, account: { key: getAccountKey(owner), name: owner.name } };
      });
    }),
  ];
}

export function createDeviceHandlers({ devices, now }: Pick<ServerContext, 'devices' | 'now'>): readonly Handler[] {
  function toDetails(device: Device): DeviceDetails {
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
  }
  async function listComputerNames(account: number) {
    const computers = (await devices.list(account)).filter(({ kind }) => kind === 'computer');
    return { computernames: Object.fromEntries(computers.map(({ id, name }) => [String(id), name])) };
  }
  return [
    handle(getcomputernames, (_request, { account }) => listComputerNames(account)),
    handle(changecomputername, async ({ data }, { account }) => {
      const device = await devices.getOwned(account, String(data.id));
      if (device.kind !== 'computer') throw new Refusal('device.not_found', 'There is no such device');
      await devices.rename(account, device.id, validateDeviceName(data.name));
      return listComputerNames(account);
    }),
    handle(checkdevices, async (_request, { account }) => {
      const accountDevices = await devices.list(account);
      return {
        status: accountDevices.map(({ id, name }): [string, string, string] => [
          String(id),
          name,
          devices.getState(id),
        ]),
        kinds: Object.fromEntries(accountDevices.map(({ id, kind }) => [String(id), kind])),
      };
    }),
    handle(devicedetails, async (_request, { account }) => ({ devices: (await devices.list(account)).map(toDetails) })),
    handle(renamedevice, async ({ id, name }, { account }) => {
      await devices.rename(account, id, validateDeviceName(name));
    }),
    handle(revokedevice, async ({ id }, { account }) => {
      await devices.remove(account, id);
    }),
  ];
}
