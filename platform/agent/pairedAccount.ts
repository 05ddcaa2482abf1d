import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomically } from './writeFileAtomically.ts';

/** The account that this computer is paired with. `key` is unique across all servers. */
export const pairedAccount = z.object({ key: z.string(), name: z.string() });
export type PairedAccount = z.output<typeof pairedAccount>;

/** Account data of a tool on this computer, which no other account may get. */
export interface AccountData {
  /** Describes what is not uploaded yet, as people say it: '12 pieces of use'. */
  readonly listUnsent: (stateDir: string) => readonly string[];
  readonly remove: (stateDir: string) => void;
}

const getOwnerPath = (stateDir: string): string => join(stateDir, 'owner.json');

/** Reads which account owns the data in the folder; undefined if that is unknown. */
function readOwner(stateDir: string): PairedAccount | undefined {
  try {
    return pairedAccount.parse(JSON.parse(readFileSync(getOwnerPath(stateDir), 'utf8')));
  } catch {
    return undefined; // not paired yet, or not a valid file: then no account owns the data
  }
}

function describeUnsent(stateDir: string, accountData: readonly AccountData[]): string | undefined {
  const unsent = accountData.flatMap(({ listUnsent }) => listUnsent(stateDir));
  return unsent.length > 0 ? unsent.join(' and ') : undefined;
}

/** Returns a warning to print before the computer is paired again, when the new account is not known yet. */
export function describeUnsentBeforePairing(stateDir: string, accountData: readonly AccountData[]): readonly string[] {
  const unsent = describeUnsent(stateDir, accountData);
  if (unsent === undefined) return [];
  const owner = readOwner(stateDir);
  return owner
    ? [`If you pair with an account other than ${owner.name}, you lose ${unsent} not yet sent to ${owner.name}`]
    : [`Pairing deletes ${unsent} of an unknown account`];
}

/** Assigns the folder to an account. Deletes the data of another account before any of it can be uploaded. */
export function assignOwner(
  account: PairedAccount,
  stateDir: string,
  accountData: readonly AccountData[],
): readonly string[] {
  const owner = readOwner(stateDir);
  if (owner?.key === account.key && owner.name === account.name) return [];
  const isOther = owner?.key !== account.key;
  const unsent = isOther ? describeUnsent(stateDir, accountData) : undefined;
  if (isOther) for (const { remove } of accountData) remove(stateDir);
  writeFileAtomically(getOwnerPath(stateDir), `${JSON.stringify(account)}\n`);
  return unsent === undefined
    ? []
    : [`This computer now belongs to ${account.name}. Deleted: ${unsent} of ${owner?.name ?? 'another account'}`];
}
