import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cwlt } from '#tools/gallery/contract.ts';
import { waitFor } from '../desktop/desktop.ts';
import type { TestAccount, TestServer } from '../server/server.ts';

/** A file is imported after not being written for this long. */
const IMPORT_DELAY_MS = 11_000;

export function createManualClock() {
  let passed = 0;
  return {
    now: () => Temporal.Now.instant().add({ milliseconds: passed }),
    pass: (ms: number) => {
      passed += ms;
    },
  };
}
type ManualClock = ReturnType<typeof createManualClock>;

export interface InboxKit {
  readonly server: TestServer;
  readonly clock: ManualClock;
  readonly anna: TestAccount;
}

export function getInboxPath({ dataDir }: TestServer): string {
  return join(dataDir, 'gallery', 'inbox');
}
export async function listGallery(account: Pick<TestAccount, 'call'>) {
  return account.call(cwlt, {});
}
export async function listTitles(account: Pick<TestAccount, 'call'>): Promise<readonly string[]> {
  return (await listGallery(account)).files.flatMap(({ videos }) => videos.map(({ title }) => title));
}

/** Triggers a check of the inbox, which happens soon after a file appears or disappears. */
export async function triggerInboxCheck(server: TestServer): Promise<void> {
  const path = join(getInboxPath(server), '.poke');
  await writeFile(path, '');
  await rm(path);
}

export async function isWaitingFor({ server, anna }: InboxKit, name: string): Promise<void> {
  await waitFor(`${name} is seen`, async () => {
    await triggerInboxCheck(server);
    return (await listGallery(anna)).own?.waiting.some((entry) => entry.name === name);
  });
}

export function waitForInbox(server: TestServer): Promise<unknown> {
  return waitFor('the inbox is there', async () => readdir(getInboxPath(server)).catch(() => false as const));
}

/** Puts a file into the inbox, and advances the clock until it is imported. */
export async function putAndImport(kit: InboxKit, name: string, content: Uint8Array): Promise<void> {
  await waitForInbox(kit.server);
  await writeFile(join(getInboxPath(kit.server), name), content);
  await isWaitingFor(kit, name);
  kit.clock.pass(IMPORT_DELAY_MS);
  await triggerInboxCheck(kit.server);
}

export async function waitForRecordings({ anna }: Pick<InboxKit, 'anna'>, count: number): Promise<void> {
  await waitFor(`${count} recordings`, async () => (await listTitles(anna)).length === count);
}
