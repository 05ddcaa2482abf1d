import type { Migration } from '#platform/server/tool.ts';
import { events } from './001-events.ts';
import { search } from './002-search.ts';
import { exchange } from './003-exchange.ts';
import { searchOrder } from './004-search-order.ts';
import { times } from './005-times.ts';

export const migrations: readonly Migration[] = [
  { name: '001-events', up: events },
  { name: '002-search', up: search },
  { name: '003-exchange', up: exchange },
  { name: '004-search-order', up: searchOrder },
  { name: '005-times', up: times },
];
