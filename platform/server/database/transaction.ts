import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyBaseLogger } from 'fastify';
import type { Transaction } from 'kysely';
import type { Database, UnitOfWork } from './database.ts';

/** Begins a transaction, has `body` done in it, and commits. It may do so again from the start. */
export type RunTransaction = <T>(body: (tx: Transaction<unknown>) => Promise<T>) => Promise<T>;

export interface TransactionFactory {
  /** @throws where the caller stands inside the work of an open transaction. */
  readonly assertOutside: () => void;
  readonly create: (begin: RunTransaction) => Database['transaction'];
}

/** What both databases' transactions have in common: the work after the commit, and no second one inside the first. */
export const createTransactionFactory = (log: FastifyBaseLogger): TransactionFactory => {
  const current = new AsyncLocalStorage<{ isOpen: boolean }>();
  const assertOutside = (): void => {
    if (current.getStore()?.isOpen === true)
      throw new Error('inside a transaction, have every query go by its `tx` and open no second one');
  };

  /** @returns what the work gives, and what it left to be done after the commit. */
  const perform = async <T>(tx: Transaction<unknown>, work: (work: UnitOfWork) => Promise<T>) => {
    const scope = { isOpen: true };
    const left: (() => void)[] = [];
    const afterCommit = (then: () => void): void => {
      if (!scope.isOpen) throw new Error('afterCommit came after the end of its transaction');
      left.push(then);
    };
    try {
      return { done: await current.run(scope, async () => work({ tx, afterCommit })), left };
    } finally {
      scope.isOpen = false;
    }
  };

  return {
    assertOutside,
    create: (begin) => async (work) => {
      assertOutside();
      const { done, left } = await begin(async (tx) => perform(tx, work));
      for (const then of left) {
        try {
          then();
        } catch (error) {
          // The rows are kept: the caller must not hear that they are not.
          log.error({ err: error }, 'database.afterCommit failed');
        }
      }
      return done;
    },
  };
};
