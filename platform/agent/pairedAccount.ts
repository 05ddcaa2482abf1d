import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

/** The account that a computer is paired with: `key` is no other's, on no server. */
export const pairedAccount = z.object({ key: z.string(), name: z.string() });
export type PairedAccount = z.output<typeof pairedAccount>;

/** What a tool keeps on this computer for the account that it is paired with, and that no other account shall get. */
export interface AccountData {
  /** What waits there until the server has it, as people say it: '12 pieces of use'. */
  readonly listUnsent: (stateDir: string) => readonly string[];
  readonly remove: (stateDir: string) => void;
}

const getOwnerPath = (stateDir: string): string => join(stateDir, 'owner.json');

/** Whose it is what is kept in that folder; undefined where nobody said. */
const readOwner = (stateDir: string): PairedAccount | undefined => {
  try {
    return pairedAccount.parse(JSON.parse(readFileSync(getOwnerPath(stateDir), 'utf8')));
  } catch {
    return undefined; // not paired yet, or one that is none of ours: then it is nobody's
  }
};

const describeUnsent = (stateDir: string, keeps: readonly AccountData[]): string | undefined => {
  const waiting = keeps.flatMap((keep) => keep.listUnsent(stateDir));
  return waiting.length > 0 ? waiting.join(' and ') : undefined;
};

/** What to say before the computer is paired anew: whom it is paired with, nobody knows yet. */
export function describeUnsentBeforePairing(stateDir: string, keeps: readonly AccountData[]): readonly string[] {
  const waiting = describeUnsent(stateDir, keeps);
  if (waiting === undefined) return [];
  const owner = readOwner(stateDir);
  return owner
    ? [`Paired with another account than ${owner.name}: ${waiting} that ${owner.name} has not got yet would be lost`]
    : [`${waiting} of an account that is not known any more will be lost`];
}

/** The folder is that account's from now on. What is there of another one is dropped, before anything of it could be sent. */
export function assignOwner(
  account: PairedAccount,
  stateDir: string,
  keeps: readonly AccountData[],
): readonly string[] {
  const owner = readOwner(stateDir);
  if (owner?.key === account.key && owner.name === account.name) return [];
  const isOther = owner?.key !== account.key;
  const waiting = isOther ? describeUnsent(stateDir, keeps) : undefined;
  if (isOther) for (const keep of keeps) keep.remove(stateDir);
  const path = getOwnerPath(stateDir);
  writeFileSync(`${path}.part`, `${JSON.stringify(account)}\n`, { mode: 0o600 });
  renameSync(`${path}.part`, path);
  return waiting === undefined
    ? []
    : [`Dropped, as this computer is ${account.name}'s now: ${waiting} of ${owner?.name ?? 'another account'}`];
}
