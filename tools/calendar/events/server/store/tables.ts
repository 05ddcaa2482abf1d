import type { Generated } from 'kysely';
import { splitIntoChunks } from '#platform/server/database/columns.ts';

/** A row of `calendar_event`. Days are days since 1970-01-01, times milliseconds since the epoch. */
export interface EventRow {
  readonly id: number;
  readonly account: number;
  readonly uid: string;
  readonly resource: string;
  readonly name: string;
  readonly style: string;
  readonly day: number;
  readonly until_day: number;
  readonly time: string | null;
  readonly end_time: string | null;
  readonly repeat_every: number | null;
  readonly repeat_unit: string | null;
  readonly repeat_from: string | null;
  readonly repeat_from_day: number | null;
  readonly repeat_until: string | null;
  readonly repeat_until_value: number | null;
  readonly foreign_rule: string | null;
  readonly foreign_words: string | null;
  readonly duration: number | null;
  readonly duration_unit: string | null;
  readonly pinned: number | null;
  readonly subscription: number | null;
  readonly parent: number | null;
  readonly replaces: number | null;
  readonly created: number;
  readonly edited: number;
  readonly revision: number;
  readonly content_revision: number;
  readonly deleted: number | null;
  readonly description: string;
  readonly foreign_days: string | null;
  readonly end_days: number;
  readonly zone: string | null;
}

/** Version of the source parser. Increase it to parse the stored sources again. */
export const SOURCE_FORMAT = 1;

interface RuleColumns {
  account: number;
  event: number;
  month_day: number;
  period: number;
  phase: number;
  from_day: number;
  until_day: number;
  day_offset: number;
}

export type CalendarTables = {
  calendar_book: { account: number; revision: number };
  calendar_event: Omit<EventRow, 'id'> & { id: Generated<number> };
  calendar_day: { account: number; day: number; event: number };
  calendar_rule: RuleColumns;
  /** Events of many days, one row for each rule. */
  calendar_span: RuleColumns & { day_count: number };
  calendar_exception: { event: number; day: number };
  calendar_tag: {
    id: Generated<number>;
    account: number;
    name: string;
    colour: string;
    position: number;
    deleted: number | null;
  };
  calendar_event_tag: { event: number; tag: number; position: number };
  calendar_seen: { session: number; tag: number };
  /** `day` is only set for accesses. */
  calendar_edit: {
    id: Generated<number>;
    event: number;
    type: string;
    at: number;
    address: string;
    day: number | null;
  };
  /** `format` is the version of the parser that parsed it (`SOURCE_FORMAT`). */
  calendar_source: { event: number; revision: number; text: string; format: number };
  /** Resource '' has the revision up to which tombstones were removed. */
  calendar_gone: { id: Generated<number>; account: number; resource: string; revision: number; gone: number };
  calendar_subscription: { id: Generated<number>; account: number; name: string; address: string; colour: string };
  /** Further columns and tables of search differ between the databases. */
  calendar_search: { account: number; event: number; name: string };
};

/** A row of `calendar_rule`, without its account. */
export type RuleRow = Omit<CalendarTables['calendar_rule'], 'account'>;
/** A row of `calendar_span`, without its account. */
export type SpanRow = Omit<CalendarTables['calendar_span'], 'account'>;

/** Values of one statement: fewer than SQLite's 32,766 parameters. */
const MAX_PARAMETERS = 16_000;

/** Splits a list into batches whose statements both databases accept. */
export function splitIntoBatches<T>(all: readonly T[], parametersEach = 1): readonly (readonly T[])[] {
  return splitIntoChunks(all, Math.max(1, Math.floor(MAX_PARAMETERS / parametersEach)));
}
