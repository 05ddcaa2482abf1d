import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { fold } from '#platform/contract/fold.ts';
import type { Database } from '#platform/server/database/database.ts';
import { migrate } from '#platform/server/database/migrate.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { fillCalendar, PLAIN_DRAFT } from '#testing/kits/planning/manyEvents.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { MAX_SEARCH_RESULTS } from '#tools/calendar/contract/events.ts';
import { findNextDay } from '#tools/calendar/repeat/domain/placement.ts';
import { findLastRepeatDay } from '#tools/calendar/repeat/domain/repeat.ts';
import { migrations } from '#tools/calendar/server/migrations/index.ts';
import { parseDay } from '../../domain/day.ts';
import type { EventDraft } from '../../domain/event.ts';
import { parseTerms, splitWords } from '../../domain/searchTerms.ts';
import { createSearchStore } from './searchStore.ts';

const TODAY = parseDay('2026-11-21') ?? 0;
const PLAIN = { styles: [], subscriptions: [], tags: [], pinned: undefined };

async function prepare(database: Database): Promise<void> {
  await migrate(database, [
    { name: 'identity', migrations: identityMigrations },
    { name: 'calendar', migrations },
  ]);
  await sql`insert into account (name, folded, password, is_owner, created) values ('a', 'a', '', 1, 0)`.execute(
    database.db,
  );
}

function createPattern(at: number): EventDraft['pattern'] {
  if (at % 5 === 0) return { kind: 'duration', duration: { amount: at % 20, unit: 'days' } };
  if (at % 3 > 0) return { kind: 'single' };
  const until = at % 2 === 0 ? { type: 'forever' as const } : { type: 'times' as const, times: at % 40 };
  const unit = at % 4 === 0 ? 'month' : 'week';
  return { kind: 'repeat', repeat: { every: 1 + (at % 7), unit, from: { type: 'date', day: TODAY - 700 }, until } };
}
const spread = Array.from({ length: 900 }, (_, at): EventDraft => ({
  ...PLAIN_DRAFT,
  name: `${at % 2 === 0 ? 'even' : 'odd'} ${at % 7 === 0 ? 'seventh' : 'plain'} ${at}`,
  description: at % 3 === 0 ? 'third of them' : 'is other',
  day: TODAY - 900 + ((at * 37) % 1800),
  pattern: createPattern(at),
}));

const soon = Array.from({ length: 300 }, (_, at): EventDraft => ({
  ...PLAIN_DRAFT,
  name: `soon ${at}`,
  day: TODAY + (at % 14),
}));
const drafts = [...spread, ...soon];

/** Returns the next day, or else the last one. */
function getFirstDay(draft: EventDraft): number {
  const { day, pattern } = draft;
  const next = findNextDay(draft, TODAY);
  if (next !== undefined) return next;
  if (pattern.kind === 'repeat') return findLastRepeatDay(day, pattern.repeat, TODAY - 1) ?? day;
  return pattern.kind === 'duration' ? day + Math.max(1, pattern.duration.amount) - 1 : day;
}

testOnBothDatabases(
  'of many matching events the next ones are returned, then the latest past ones, at any number',
  async ({ open }) => {
    await using database = await open();
    await prepare(database);
    const ids = await fillCalendar(database, 1, drafts);
    const draftById = new Map(ids.map((id, at) => [id, drafts[at]]));
    for (const text of [
      '',
      'e',
      'ven',
      'odd third',
      'seventh',
      'seventh o',
      'is',
      'th',
      '899',
      'zzz',
      'zz',
      'o',
      'so',
      'o n',
    ]) {
      const terms = parseTerms(text);
      const hits = await createSearchStore(database).find({ account: 1, terms, filter: PLAIN, today: TODAY });
      const matches = drafts.filter(({ name, description }) =>
        terms.every(({ part }) => name.includes(part) || description.split(' ').includes(part)),
      );
      const days = matches.map(getFirstDay).toSorted((one, other) => one - other);
      const coming = days.filter((day) => day >= TODAY).slice(0, MAX_SEARCH_RESULTS);
      const past = text === '' ? [] : days.filter((day) => day < TODAY);
      const expected = [...past.slice(Math.max(0, past.length + coming.length - MAX_SEARCH_RESULTS)), ...coming];
      expect
        .soft(
          hits.map(({ day }) => day),
          text,
        )
        .toEqual(expected);
      for (const { event, day } of hits) {
        const draft = draftById.get(event);
        expect(draft && matches.includes(draft) && getFirstDay(draft), text).toBe(day);
      }
      expect(new Set(hits.map(({ event }) => event)).size).toBe(hits.length);
    }
    expect(
      await createSearchStore(database).find({ account: 2, terms: parseTerms('even'), filter: PLAIN, today: TODAY }),
    ).toEqual([]);
  },
);

/** Letters of the index's own words, signs that separate words, and letters outside the BMP. */
const odd = fc.string({
  unit: fc.constantFrom(...Array.from('12dpwrz ab\'"-*\u{E000}🎵ßé')),
  maxLength: 12,
});
const createOddPattern = (style: number): EventDraft['pattern'] =>
  style === 0 ? { kind: 'duration', duration: { amount: 3, unit: 'days' } } : createPattern(style === 1 ? 6 : 1);
const oddDraft = fc
  .record({ name: odd, description: odd, day: fc.integer({ min: TODAY - 50, max: TODAY + 50 }), style: fc.nat(4) })
  .map(({ style, ...texts }): EventDraft => ({ ...PLAIN_DRAFT, ...texts, pattern: createOddPattern(style) }));

testOnBothDatabases('any text finds the events of its account that a scan of all events finds', async ({ open }) => {
  await using database = await open();
  await prepare(database);
  await sql`insert into account (name, folded, password, is_owner, created) values ('b', 'b', '', 0, 0)`.execute(
    database.db,
  );
  const ownDrafts = fc.sample(
    oddDraft.filter(({ name }) => name.trim() !== ''),
    MAX_SEARCH_RESULTS / 2,
  );
  const ids = await fillCalendar(database, 1, ownDrafts);
  await fillCalendar(database, 2, ownDrafts);
  const store = createSearchStore(database);
  await fc.assert(
    fc.asyncProperty(odd, fc.boolean(), async (text, isSecond) => {
      const terms = parseTerms(text);
      fc.pre(terms.length > 0);
      const expected = ownDrafts.flatMap((draft, at) => {
        const words = new Set(splitWords(fold(draft.description)));
        const isMatch = terms.every(
          ({ part, words: ownWords }) =>
            fold(draft.name).includes(part) || (ownWords.length > 0 && ownWords.every((word) => words.has(word))),
        );
        return isMatch ? [(ids[at] ?? 0) + (isSecond ? ids.length : 0)] : [];
      });
      const hits = await store.find({ account: isSecond ? 2 : 1, terms, filter: PLAIN, today: TODAY });
      expect(hits.map(({ event }) => event).toSorted((one, other) => one - other)).toEqual(expected);
    }),
    { numRuns: 150 },
  );
});

testOnBothDatabases('deleting an account deletes its search texts', async ({ open, dialect }) => {
  await using database = await open();
  await prepare(database);
  await fillCalendar(database, 1, [{ ...PLAIN_DRAFT, name: 'Secret plan', description: 'hidden', day: TODAY }]);
  await sql`delete from account`.execute(database.db);
  const tables = dialect === 'sqlite' ? ['calendar_search', 'calendar_search_words_docsize'] : ['calendar_search'];
  for (const table of tables)
    expect((await sql`select * from ${sql.table(table)}`.execute(database.db)).rows, table).toEqual([]);
});
