// Copies of backups in another folder or an S3-compatible store. Each file is stored once for all copies, by its
// checksum: `files/<digits>/<checksum>`. A copy is `<id>/checksums.sha256` and, written last, `<id>/manifest.json`.
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '#platform/contract/refusal.ts';
import type { HashCost } from '../identity/passwords.ts';
import { readFreeBytes } from '../storage/diskSpace.ts';
import { linkFile } from '../storage/fileStorage.ts';
import {
  createBytesSource,
  createFolderStore,
  ObjectNotFoundError,
  type ObjectStore,
  readObject,
} from '../storage/objectStore.ts';
import { parseS3Address } from '../storage/s3Address.ts';
import { createS3Store, type S3Access } from '../storage/s3Store.ts';
import { hashChunks, readChunks } from '../storage/sha256.ts';
import { BACKUPS_FOLDER, syncFolders, syncPath } from './backupFiles.ts';
import { FETCH_SUFFIX, tryToLockBackups } from './backupLock.ts';
import { type BackupRetention, selectExpiredBackups } from './backupPolicy.ts';
import {
  type Backup,
  type BackupInfo,
  checkBackup,
  CHECKSUMS_FILE,
  isBackupId,
  MANIFEST_FILE,
  parseChecksums,
  parseManifest,
  readBackup,
  readChecksums,
  removeBackups,
} from './backups.ts';
import type { FileDigest } from './checksumList.ts';
import { AGE_SUFFIX, type CopyCipher, createCopyKey, openKeyFile, plainCipher } from './copyCipher.ts';

/** Opens the other objects if they are encrypted: `age -d -i key.age <object>`. */
const KEY_FILE = 'key.age';
/** Says which server may store and remove copies here. */
const OWNER_FILE = 'server.txt';
/** Files that are sent or received at the same time. */
const CONCURRENT_FILES = 4;

/** A place with copies, as it was when it was opened. */
export interface CopyPlace {
  readonly store: ObjectStore;
  readonly cipher: CopyCipher;
  /** Sizes of all objects by name. */
  readonly bytesByName: ReadonlyMap<string, number>;
}

/** Where copies are stored, and what it takes to store them there. */
export interface CopyTarget {
  /** An absolute path, or `s3://bucket/prefix`. */
  readonly address: string;
  /** Encrypts the copies. */
  readonly passphrase?: string | undefined;
  readonly hashCost?: HashCost;
  /** Undefined if its settings are incomplete. */
  readonly s3?: S3Access | undefined;
}

/** Creates the store of a target. @throws Refusal if settings for S3 are missing. */
export function createCopyStore({ address, s3 }: CopyTarget): ObjectStore {
  const place = parseS3Address(address);
  if (!place) return createFolderStore(address);
  if (!s3)
    throw new Refusal(
      'storage.s3_settings_missing',
      `To use ${address}, set S3_ENDPOINT, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY`,
    );
  return createS3Store({ ...place, ...s3 });
}

/** Returns whether an object is part of a copy. */
const isOwnName = (name: string): boolean => name.startsWith('files/') || isBackupId(name.split('/')[0] ?? '');

async function listObjects(store: ObjectStore): Promise<ReadonlyMap<string, number>> {
  const bytesByName = new Map<string, number>();
  for await (const { name, bytes } of store.list()) bytesByName.set(name, bytes);
  return bytesByName;
}

/**
 * Opens a place with copies to read them.
 * @throws Refusal if the passphrase is missing or wrong.
 */
export async function openCopyPlace(store: ObjectStore, passphrase: string | undefined): Promise<CopyPlace> {
  const bytesByName = await listObjects(store);
  if (!bytesByName.has(KEY_FILE)) {
    if ([...bytesByName.keys()].some((name) => isOwnName(name) && name.endsWith(AGE_SUFFIX)))
      throw new Refusal(
        'backup.key_missing',
        `${KEY_FILE} is missing in ${store.address}. Without it, nobody can open the copies there`,
      );
    return { store, bytesByName, cipher: plainCipher };
  }
  if (passphrase === undefined)
    throw new Refusal(
      'backup.passphrase_missing',
      `The copies in ${store.address} are encrypted. Set BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE`,
    );
  return { store, bytesByName, cipher: await openKeyFile(await readObject(store, KEY_FILE), passphrase) };
}

/** @throws Refusal if a place has the copies of another server, which each would remove. */
async function assertOwner(store: ObjectStore, server: string): Promise<void> {
  if ((await readObject(store, OWNER_FILE)).toString() !== server)
    throw new Refusal(
      'backup.copies_of_other_server',
      `Another server stores its copies in ${store.address}. Set BACKUP_COPY_TO to another folder or prefix. If this server replaces that one, remove ${OWNER_FILE} there`,
    );
}

/** Opens a place to write copies. The first server that does owns it, and decides whether they are encrypted. */
async function openToWrite(
  store: ObjectStore,
  { server, passphrase, hashCost = 'full' }: CopyOptions,
): Promise<CopyPlace> {
  const place = await openCopyPlace(store, passphrase);
  if (!place.bytesByName.has(OWNER_FILE)) await store.put(OWNER_FILE, createBytesSource(Buffer.from(server)));
  await assertOwner(store, server);
  if (passphrase === undefined || place.bytesByName.has(KEY_FILE)) return place;
  if ([...place.bytesByName.keys()].some(isOwnName))
    throw new Refusal(
      'backup.copies_not_encrypted',
      `The copies in ${store.address} are not encrypted. Set BACKUP_COPY_TO to an empty place, or remove them`,
    );
  const { keyFile, cipher } = await createCopyKey(passphrase, hashCost);
  await store.put(KEY_FILE, createBytesSource(keyFile));
  return { ...place, cipher };
}

/** Runs a task for each item, several at a time. The first error ends it. */
async function forEachConcurrently<Item>(items: Iterable<Item>, task: (item: Item) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]();
  async function work(): Promise<void> {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) await task(next.value);
  }
  await Promise.all(Array.from({ length: CONCURRENT_FILES }, work));
}

/** Reads an object. @throws Refusal if it is missing or damaged. */
async function* readDecrypted({ store, cipher }: CopyPlace, name: string): AsyncGenerator<Uint8Array> {
  let storeError: Error | undefined;
  async function* readStored(): AsyncGenerator<Uint8Array> {
    try {
      yield* store.get(name);
    } catch (error) {
      storeError = error instanceof Error ? error : new Error(String(error));
      throw storeError;
    }
  }
  try {
    yield* await cipher.decrypt(readStored());
  } catch (cause) {
    if (storeError !== undefined && !(storeError instanceof ObjectNotFoundError)) throw storeError;
    const state = storeError === undefined ? 'damaged' : 'missing';
    throw new Refusal('backup.damaged', `${name} in ${store.address} is ${state}. Use another copy`, { cause });
  }
}

const readText = (place: CopyPlace, name: string): Promise<string> =>
  text(readDecrypted(place, place.cipher.getName(name)));

async function writeText({ store, cipher }: CopyPlace, name: string, content: string): Promise<void> {
  const source = createBytesSource(Buffer.from(content));
  await store.put(cipher.getName(name), {
    open: async () => cipher.encrypt(await source.open()),
    bytes: cipher.getSize(source.bytes),
  });
}

/** Reads the manifest of a copy. @throws Refusal if it is damaged, or that of another copy. */
async function readManifest(place: CopyPlace, id: string): Promise<BackupInfo> {
  const content = await readText(place, `${id}/${MANIFEST_FILE}`);
  try {
    const copy = parseManifest(content);
    if (copy.id === id) return copy;
  } catch {
    // Refused below.
  }
  throw new Refusal('backup.damaged', `${id}/${MANIFEST_FILE} in ${place.store.address} is damaged. Use another copy`);
}

/** Lists the copies in a place, newest first: those that are complete, and refusals that name damaged ones. */
async function readCopies(place: CopyPlace) {
  const copies: BackupInfo[] = [];
  const damages: Refusal[] = [];
  for (const name of place.bytesByName.keys()) {
    const [id = '', file] = name.split('/');
    if (!isBackupId(id) || file !== place.cipher.getName(MANIFEST_FILE)) continue;
    try {
      copies.push(await readManifest(place, id));
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'backup.damaged') throw error;
      damages.push(error);
    }
  }
  return { copies: copies.toSorted((one, other) => (one.id < other.id ? 1 : -1)), damages };
}

/** Lists the complete copies in a place, newest first. A damaged one can't be restored, and doesn't count. */
export async function listCopies(place: CopyPlace): Promise<readonly BackupInfo[]> {
  return (await readCopies(place)).copies;
}

/** Reads the checksums of a copy. @throws Refusal if they were changed. */
async function readCopyChecksums(place: CopyPlace, copy: BackupInfo): Promise<readonly FileDigest[]> {
  return parseChecksums(await readText(place, `${copy.id}/${CHECKSUMS_FILE}`), copy);
}

/** Passes the chunks of a file on. @throws Refusal at their end if they are not those of the file. */
function verifyChunks(chunks: AsyncIterable<Uint8Array>, { path, sha256 }: FileDigest): AsyncIterable<Uint8Array> {
  return hashChunks(chunks, (actual) => {
    if (actual !== sha256) throw new Refusal('backup.damaged', `${path} in the backup is damaged. Use another backup`);
  });
}

/** Removes copies that expired, and the files that no other copy has. Returns how many copies were removed. */
async function removeExpired(
  store: ObjectStore,
  cipher: CopyCipher,
  { server, retention, zone, now }: CopyOptions,
): Promise<number> {
  const place = { store, cipher, bytesByName: await listObjects(store) };
  const { copies, damages } = await readCopies(place);
  // Its files are not known, so nothing can be removed.
  if (damages[0]) throw damages[0];
  const expired = selectExpiredBackups(copies, retention, { zone, now });
  if (expired.length === 0) return 0;
  await assertOwner(store, server);
  const retained = copies.filter((copy) => !expired.includes(copy));
  // Read before anything is removed: without all lists, needed files could be removed.
  const neededNames = new Set<string>([KEY_FILE]);
  for (const copy of retained) {
    for (const { sha256 } of await readCopyChecksums(place, copy)) neededNames.add(cipher.getFileName(sha256));
    for (const file of [MANIFEST_FILE, CHECKSUMS_FILE]) neededNames.add(cipher.getName(`${copy.id}/${file}`));
  }
  // Manifests first, so that no copy is ever incomplete and looks complete.
  for (const { id } of expired) await store.remove(cipher.getName(`${id}/${MANIFEST_FILE}`));
  const unneeded = [...place.bytesByName.keys()].filter((name) => isOwnName(name) && !neededNames.has(name));
  await forEachConcurrently(unneeded, store.remove);
  return expired.length;
}

export interface CopyOptions {
  /** Id of the server, which a restore keeps. */
  readonly server: string;
  /** Encrypts the copies. */
  readonly passphrase: string | undefined;
  /** Work that a guess of the passphrase takes; by default `full`. */
  readonly hashCost?: HashCost | undefined;
  readonly retention: BackupRetention;
  /** Time zone in which days begin. */
  readonly zone: string;
  readonly now: Temporal.Instant;
}

/**
 * Copies a backup, and removes copies that expired. What is interrupted leaves files that the next attempt uses, and
 * nothing that looks complete. Returns the number of removed copies.
 * @throws Refusal if the backup is damaged or the place cannot be used.
 */
export async function copyBackup(backup: Backup, store: ObjectStore, options: CopyOptions): Promise<number> {
  const place = await openToWrite(store, options);
  const { cipher } = place;
  const digests = await readChecksums(backup);
  const digestByName = new Map(digests.map((digest) => [cipher.getFileName(digest.sha256), digest]));
  const objectBytesByName = new Map<string, number>();
  for (const [name, { path }] of digestByName)
    objectBytesByName.set(name, cipher.getSize((await stat(join(backup.path, path))).size));
  const isMissing = (objects: ReadonlyMap<string, number>, name: string): boolean =>
    objects.get(name) !== objectBytesByName.get(name);

  await forEachConcurrently(digestByName, async ([name, digest]) => {
    if (!isMissing(place.bytesByName, name)) return;
    await store.put(name, {
      open: () => cipher.encrypt(verifyChunks(readChunks(join(backup.path, digest.path)), digest)),
      bytes: objectBytesByName.get(name) ?? 0,
    });
  });
  await writeText(place, `${backup.id}/${CHECKSUMS_FILE}`, await readFile(join(backup.path, CHECKSUMS_FILE), 'utf8'));
  const objects = await listObjects(store);
  const missing = [...digestByName].find(([name]) => isMissing(objects, name));
  if (missing) throw new Error(`${store.address} lost ${missing[0]}, which was just stored there`);
  await writeText(place, `${backup.id}/${MANIFEST_FILE}`, await readFile(join(backup.path, MANIFEST_FILE), 'utf8'));
  return removeExpired(store, cipher, options);
}

/** Reads a copy into a new folder, and verifies all of it. */
async function fetchFiles(place: CopyPlace, copy: BackupInfo, folder: string): Promise<void> {
  const digests = await readCopyChecksums(place, copy);
  const pathsBySha256 = Map.groupBy(digests, ({ sha256 }) => sha256);
  await forEachConcurrently(pathsBySha256, async ([sha256, files]) => {
    const [first, ...others] = files.map(({ path }) => join(folder, path));
    if (first === undefined) return;
    await mkdir(dirname(first), { recursive: true, mode: 0o700 });
    const chunks = readDecrypted(place, place.cipher.getFileName(sha256));
    const file = createWriteStream(first, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(verifyChunks(chunks, { sha256, path: first.slice(folder.length + 1) }), file);
    for (const other of others) {
      await mkdir(dirname(other), { recursive: true, mode: 0o700 });
      await linkFile(first, other);
    }
  });
  for (const file of [CHECKSUMS_FILE, MANIFEST_FILE])
    await writeFile(join(folder, file), await readText(place, `${copy.id}/${file}`), { mode: 0o600, flush: true });
}

/** Reads a copy into a temporary folder beside the backups, and removes it afterwards unless it was moved. */
async function withFetchedCopy<T>(
  place: CopyPlace,
  copy: BackupInfo,
  dataDir: string,
  use: (folder: string, backupsFolder: string) => Promise<T>,
): Promise<T> {
  const backupsFolder = join(dataDir, BACKUPS_FOLDER);
  using lock = await tryToLockBackups(dataDir, 'fetch');
  if (!lock)
    throw new Refusal(
      'backup.fetch_running',
      'Another command is reading a copy. Wait until it has ended, and try again',
    );
  const free = await readFreeBytes(backupsFolder);
  if (free < copy.bytes)
    throw new Refusal(
      'restore.disk_full',
      `The copy needs ${Math.ceil(copy.bytes / 1e6)} MB, and ${Math.floor(free / 1e6)} MB are free. Free some space first`,
    );
  const folder = join(backupsFolder, copy.id + FETCH_SUFFIX);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  try {
    await fetchFiles(place, copy, folder);
    return await use(folder, backupsFolder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Reads a copy into the backups of a data folder, from where it can be restored.
 * @throws Refusal if it is damaged or there is too little space.
 */
export async function fetchCopy(place: CopyPlace, copy: BackupInfo, dataDir: string): Promise<Backup> {
  return withFetchedCopy(place, copy, dataDir, async (folder, backupsFolder) => {
    const path = join(backupsFolder, copy.id);
    await syncFolders(folder);
    // One of the same time is replaced: it may be damaged.
    await removeBackups([{ ...copy, path }]);
    await rename(folder, path);
    await syncPath(backupsFolder);
    return readBackup(path);
  });
}

/** Reads a whole copy and checks it like a backup. @throws Refusal that names what is damaged. */
export async function checkCopy(place: CopyPlace, copy: BackupInfo, dataDir: string): Promise<void> {
  await withFetchedCopy(place, copy, dataDir, (folder) => checkBackup({ ...copy, path: folder }));
}
