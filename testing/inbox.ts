import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cwlt } from '#tools/gallery/contract.ts';
import { eventually } from './desktop.ts';
import type { TestAccount, TestServer } from './server.ts';

/** A file that nobody has written to for so long is taken. */
const TAKEN_AFTER_MS = 11_000;

/** A clock that is turned by hand. */
export const handClock = () => {
  let passed = 0;
  return {
    now: () => Temporal.Now.instant().add({ milliseconds: passed }),
    pass: (ms: number) => {
      passed += ms;
    },
  };
};
type HandClock = ReturnType<typeof handClock>;

export interface Place {
  readonly server: TestServer;
  readonly clock: HandClock;
  readonly anna: TestAccount;
}

export const inboxOf = ({ dataDir }: TestServer): string => join(dataDir, 'gallery', 'inbox');
export const listed = async (account: Pick<TestAccount, 'call'>) => account.call(cwlt, {});
export const titlesOf = async (account: Pick<TestAccount, 'call'>): Promise<readonly string[]> =>
  (await listed(account)).files.flatMap(({ videos }) => videos.map(({ title }) => title));

/** The inbox is looked at soon after something came into it or went. */
export const poke = async (server: TestServer): Promise<void> => {
  const path = join(inboxOf(server), '.poke');
  await writeFile(path, '');
  await rm(path);
};

export const waitsFor = async ({ server, anna }: Place, name: string): Promise<void> => {
  await eventually(`${name} is seen`, async () => {
    await poke(server);
    return (await listed(anna)).own?.waiting.some((one) => one.name === name);
  });
};

export const hasInbox = (server: TestServer): Promise<unknown> =>
  eventually('the inbox is there', async () => readdir(inboxOf(server)).catch(() => false as const));

/** Puts a file into the inbox, and lets the time pass until it is taken. */
export const putAndWait = async (place: Place, name: string, content: Uint8Array): Promise<void> => {
  await hasInbox(place.server);
  await writeFile(join(inboxOf(place.server), name), content);
  await waitsFor(place, name);
  place.clock.pass(TAKEN_AFTER_MS);
  await poke(place.server);
};

export const arrived = async ({ anna }: Pick<Place, 'anna'>, count: number): Promise<void> => {
  await eventually(`${count} recordings`, async () => (await titlesOf(anna)).length === count);
};
