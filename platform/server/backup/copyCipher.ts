import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { armor, Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { Refusal } from '#platform/contract/refusal.ts';
import type { HashCost } from '../identity/passwords.ts';
import { toWebStream } from '../storage/objectStore.ts';

/** How copies of backups are stored: encrypted in the format of `age`, or as they are. */
export interface CopyCipher {
  /** Returns the name of an object in the store. */
  readonly getName: (name: string) => string;
  /** Returns the name of the object with a file, by the SHA-256 of the file. */
  readonly getFileName: (sha256: string) => string;
  /** Returns the size of an object by the size of its content. */
  readonly getSize: (bytes: number) => number;
  readonly encrypt: (chunks: AsyncIterable<Uint8Array>) => Promise<AsyncIterable<Uint8Array>>;
  /** @throws if the object was changed. */
  readonly decrypt: (chunks: AsyncIterable<Uint8Array>) => Promise<AsyncIterable<Uint8Array>>;
}

export const AGE_SUFFIX = '.age';
/** Logarithm of the work that opening the key file takes: with scrypt, 2^18 needs 256 MiB, and 2^14 needs 16 MiB. */
const WORK_FACTORS: Readonly<Record<HashCost, number>> = { full: 18, light: 14, test: 4 };
/** Digits of folder names, so that no folder has too many files. */
const FOLDER_DIGITS = 2;

const formatFileName = (digits: string, suffix = ''): string =>
  `files/${digits.slice(0, FOLDER_DIGITS)}/${digits}${suffix}`;

/** Stores copies as they are. */
export const plainCipher: CopyCipher = {
  getName: (name) => name,
  getFileName: (sha256) => formatFileName(sha256),
  getSize: (bytes) => bytes,
  encrypt: async (chunks) => chunks,
  decrypt: async (chunks) => chunks,
};

/** A key for copies, as the file that the passphrase opens, and opened. */
export interface CopyKey {
  readonly keyFile: Uint8Array;
  readonly cipher: CopyCipher;
}

/**
 * Creates a key for copies. Files are encrypted with the key and not with the passphrase, because that takes a second
 * for each.
 */
export async function createCopyKey(passphrase: string, cost: HashCost): Promise<CopyKey> {
  const identity = await generateX25519Identity();
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  encrypter.setScryptWorkFactor(WORK_FACTORS[cost]);
  const content = await encrypter.encrypt(`# Key of the copies of Pegboard's backups\n${identity}\n`);
  return { keyFile: Buffer.from(armor.encode(content)), cipher: await createCipher(identity) };
}

async function readIdentity(keyFile: Uint8Array, passphrase: string): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    const text = await decrypter.decrypt(armor.decode(Buffer.from(keyFile).toString()), 'text');
    return text.split('\n').find((line) => line.startsWith('AGE-SECRET-KEY-')) ?? '';
  } catch (cause) {
    throw new Refusal(
      'backup.passphrase_wrong',
      'The passphrase does not open these copies. Set BACKUP_PASSPHRASE to the one with which they were made',
      { cause },
    );
  }
}

/** Opens a key file. @throws Refusal if the passphrase is another one. */
export async function openKeyFile(keyFile: Uint8Array, passphrase: string): Promise<CopyCipher> {
  return createCipher(await readIdentity(keyFile, passphrase));
}

async function createCipher(identity: string): Promise<CopyCipher> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const sizes = await encrypter.encrypt(toWebStream(Readable.from([])));
  return {
    getName: (name) => name + AGE_SUFFIX,
    // A plain checksum would show who has a certain file.
    getFileName: (sha256) => formatFileName(createHmac('sha256', identity).update(sha256).digest('hex'), AGE_SUFFIX),
    getSize: (bytes) => sizes.size(bytes),
    encrypt: (chunks) => encrypter.encrypt(toWebStream(chunks)),
    decrypt: (chunks) => decrypter.decrypt(toWebStream(chunks)),
  };
}
