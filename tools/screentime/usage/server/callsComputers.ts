import { handle, type Handler } from '#platform/server/tool.ts';
import { deletecomputerusage, mergecomputers, undoimport, usagecomputers } from '../../contract.ts';
import { toIso } from '../domain/date.ts';
import type { UsageComputers } from './computers.ts';
import type { UsageStore } from './store/usageStores.ts';

export const computerCalls = (
  { imports }: Pick<UsageStore, 'imports'>,
  computers: UsageComputers,
): readonly Handler[] => [
  handle(usagecomputers, async (_request, { account }) => ({
    computers: await computers.list(account),
    imports: (await imports.list(account)).map(({ first, last, ...one }) => ({
      ...one,
      first: toIso(first),
      last: toIso(last),
    })),
  })),
  handle(deletecomputerusage, async ({ id }, { account }) => {
    await computers.remove(account, id);
    return {};
  }),
  handle(mergecomputers, async ({ from, into }, { account }) => computers.merge(account, from, into)),
  handle(undoimport, async ({ id }, { account }) => {
    await computers.undo(account, id);
    return {};
  }),
];
