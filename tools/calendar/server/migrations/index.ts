import type { Migration } from '#platform/server/tool.ts';
import { events } from './001-events.ts';
import { search } from './002-search.ts';
import { exchange } from './003-exchange.ts';
import { searchOrder } from './004-search-order.ts';
import { subscriptionWarnings } from './005-subscription-warnings.ts';
import { searchFold } from './006-search-fold.ts';
import { times } from './007-times.ts';
import { sourceFormat } from './008-source-format.ts';
import { spans } from './009-spans.ts';
import { searchOvernight } from './010-search-overnight.ts';

export const migrations: readonly Migration[] = [
  { name: '001-events', up: events },
  { name: '002-search', up: search },
  { name: '003-exchange', up: exchange },
  { name: '004-search-order', up: searchOrder },
  { name: '005-subscription-warnings', up: subscriptionWarnings },
  { name: '006-search-fold', up: searchFold },
  { name: '007-times', up: times },
  { name: '008-source-format', up: sourceFormat },
  { name: '009-spans', up: spans },
  { name: '010-search-overnight', up: searchOvernight },
];
