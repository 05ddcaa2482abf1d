import type { Generated } from 'kysely';

/** Times are milliseconds since the epoch. */
export type ShoppingTables = {
  shopping_list: {
    id: Generated<number>;
    account: number;
    revision: number;
    next_id: number;
    named: number;
    created: number;
    changed: number;
    deleted: number | null;
  };
  /** `joined` is 0 until the invitation is accepted. */
  shopping_member: { list: number; account: number; joined: number; is_archived: number };
  /** `value` is JSON. */
  shopping_leaf: { list: number; path: string; value: string; revision: number; time: number; client: string };
  shopping_id: { list: number; client: string; sent: string; given: string; time: number };
  /** `answer` is JSON. */
  shopping_batch: { account: number; client: string; list: number; seq: number; answer: string; time: number };
};
