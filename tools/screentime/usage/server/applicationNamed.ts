import { Refusal } from '#platform/contract/refusal.ts';
import { recordedName } from '../domain/wireName.ts';
import type { Application } from './store/applicationStore.ts';
import type { UsageStore } from './store/usageStores.ts';

/** By its name on the wire; undefined for all of them together. @throws Refusal where there is none. */
export const applicationNamed = async (
  { applications }: Pick<UsageStore, 'applications'>,
  account: number,
  wire: string,
): Promise<Application | undefined> => {
  const name = recordedName(wire);
  if (name === undefined) return undefined;
  const found = await applications.named(account, name);
  if (!found) throw new Refusal('There is no such application: it was never seen on your computers');
  return found;
};
