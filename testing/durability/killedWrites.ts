import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isUnreachableError, type Client } from '#platform/contract/client.ts';
import { signup } from '#platform/contract/session.ts';
import { exportaccount } from '#tools/accounts/contract.ts';
import { newevent } from '#tools/calendar/contract/events.ts';
import { importevents } from '#tools/calendar/contract/exchange.ts';
import { spmessage } from '#tools/messages/contract.ts';
import { createplaylist } from '#tools/music/contract/library.ts';
import { paste } from '#tools/paste/contract.ts';
import { fileupload } from '#tools/remote/contract.ts';
import { modifyshoplist, NEW_LIST } from '#tools/shopping/contract.ts';
import { savelongtermtbbl, savespecific } from '#tools/timetable/contract.ts';
import { createSeededRandom } from '../kits/random.ts';
import { createPatientClient } from '../kits/server/patientClient.ts';
import { TEST_PASSWORD } from '../kits/server/server.ts';
import { createTables } from '../kits/server/tables.ts';
import { readZip } from '../kits/server/zip.ts';
import { type KillableServer, startKillableServer } from '../sync/killableServer.ts';

/** Minimum and maximum number of acknowledged writes between two kills of the server. */
const WRITES_BETWEEN_KILLS = [50, 400] as const;
/** How long a writer waits for a server that is not there. */
const RETRY_INTERVAL_MS = 20;
const WRITERS = 8;
/** Writes of one account; no tool stores fewer of one kind. */
const WRITES_PER_ACCOUNT = 600;

/** What a write stores: texts by which it is found again. A write with two texts stores both or none. */
type Mark = (part: 'a' | 'b') => string;

interface Content {
  readonly mark: Mark;
  /** ISO date. */
  readonly date: string;
  readonly number: number;
}

interface Writer {
  readonly call: Client;
  /** Id of the account's list. */
  readonly list: number;
}

const createSlot = (name: string, start: string, end: string) => ({ name, start, end, description: '', updatedid: 0 });
const createEvent = (mark: string) =>
  `BEGIN:VEVENT\nUID:${mark.slice('mark-'.length)}\nSUMMARY:${mark}\nDTSTART;VALUE=DATE:20261203\nEND:VEVENT\n`;

/** One call of each tool that stores something new, and how many texts it stores. */
const WRITES: readonly {
  readonly parts: 1 | 2;
  readonly write: (writer: Writer, content: Content) => Promise<unknown>;
}[] = [
  { parts: 1, write: ({ call }, { mark }) => call(paste, { inputValue: mark('a') }) },
  { parts: 1, write: ({ call }, { mark, date }) => call(newevent, { data: { id: 0, name: mark('a'), date } }) },
  {
    parts: 2,
    write: ({ call }, { mark }) =>
      call(importevents, {
        text: `BEGIN:VCALENDAR\n${createEvent(mark('a'))}${createEvent(mark('b'))}END:VCALENDAR\n`,
      }),
  },
  {
    parts: 2,
    write: ({ call, list }, { mark, number }) =>
      call(modifyshoplist, {
        id: list,
        // A client that sends no name would change the item to which it gave the same temporary id before.
        changes: {
          items: { [`new${2 * number}`]: { name: mark('a') }, [`new${2 * number + 1}`]: { name: mark('b') } },
        },
        timesent: Date.now() / 1000,
      }),
  },
  {
    parts: 1,
    write: ({ call }, { mark }) => call(spmessage, { type: 'toserver', message: 'Cléo', message2: mark('a') }),
  },
  { parts: 1, write: ({ call }, { mark }) => call(createplaylist, { title: mark('a'), contains: [] }) },
  {
    parts: 1,
    write: ({ call }, { mark }) => call(fileupload, { content: { name: `${mark('a')}.sh`, text: 'exit 0' } }),
  },
  {
    parts: 2,
    write: ({ call }, { mark, date }) =>
      call(savespecific, {
        date,
        data: { new1: createSlot(mark('a'), '08:00', '09:00'), new2: createSlot(mark('b'), '10:00', '11:00') },
      }),
  },
  { parts: 1, write: ({ call }, { mark }) => call(savelongtermtbbl, { name: mark('a'), data: [] }) },
];

/** Numbers of one run. */
export interface KilledWritesFigures {
  readonly acknowledged: number;
  readonly kills: number;
  /** Acknowledged writes that lack a text. */
  readonly lost: number;
  /** Texts that are stored more than once. */
  readonly duplicated: number;
  /** Writes, acknowledged or not, that stored only one of their two texts. */
  readonly torn: number;
}

/** Counts how often each text is stored. */
async function countMarks(writers: readonly Writer[]): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  function addMarks(text: string): void {
    // An imported event is also exported as it was in its file.
    for (const [mark] of text.matchAll(/(?<!SUMMARY:)\bmark-\d+-[ab]\b/g))
      counts.set(mark, (counts.get(mark) ?? 0) + 1);
  }
  for (const { call } of writers) {
    const { content } = await call(exportaccount, { password: TEST_PASSWORD });
    for (const [path, bytes] of readZip(await content.bytes()))
      // Other files repeat what is in those of the tools.
      if (path.endsWith('.json')) addMarks(bytes.toString('utf8'));
  }
  return counts;
}

/**
 * Writes through the calls of all tools to a real server that is killed at random moments, and compares what was
 * acknowledged with what is stored.
 */
export async function playKilledWrites(options: {
  readonly acknowledged: number;
  readonly seed: number;
  /** PostgreSQL instead of SQLite. */
  readonly databaseUrl?: string | undefined;
  /** Two instances instead of one. */
  readonly redisUrl?: string | undefined;
}): Promise<KilledWritesFigures> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-writes-'));
  const random = createSeededRandom(options.seed);
  try {
    await createTables(dataDir, options.databaseUrl);
    await using resources = new AsyncDisposableStack();
    const servers: KillableServer[] = [];
    for (let index = 0; index < (options.redisUrl === undefined ? 1 : 2); index += 1)
      servers.push(resources.use(await startKillableServer(dataDir, options.databaseUrl, options.redisUrl)));
    const pickServer = () => servers[random.nextInt(servers.length)] as KillableServer;
    const getOrigin = () => `http://127.0.0.1:${pickServer().getPort()}`;
    async function createWriter(index: number): Promise<Writer> {
      const { token } = await createPatientClient({ origin: getOrigin() })(signup, {
        username: `writer${index}`,
        password: TEST_PASSWORD,
      });
      const call: Client = (contract, input) =>
        createPatientClient({ origin: getOrigin(), token: () => token })(contract, input);
      const { id = NEW_LIST } = await call(modifyshoplist, { id: NEW_LIST, changes: { name: 'List' }, timesent: 0 });
      return { call, list: id };
    }
    const writers: Writer[] = [];
    for (let index = 0; index < Math.max(WRITERS, options.acknowledged / WRITES_PER_ACCOUNT); index += 1)
      writers.push(await createWriter(index));

    const acknowledged: { readonly number: number; readonly parts: 1 | 2 }[] = [];
    let startedCount = 0;
    let kills = 0;
    let restart: Promise<void> | undefined;
    const [min, max] = WRITES_BETWEEN_KILLS;
    let killAt = min;
    function killIfDue(): void {
      if (acknowledged.length < killAt || restart !== undefined) return;
      killAt = acknowledged.length + min + random.nextInt(max - min);
      kills += 1;
      restart = pickServer()
        .killAndStart()
        .finally(() => void (restart = undefined));
    }
    async function write(writer: Writer): Promise<void> {
      const number = (startedCount += 1);
      const { parts, write: send } = WRITES[random.nextInt(WRITES.length)] as (typeof WRITES)[number];
      const date = Temporal.PlainDate.from('2027-01-01')
        .add({ days: number % 365 })
        .toString();
      try {
        await send(writer, { mark: (part) => `mark-${number}-${part}`, date, number });
        acknowledged.push({ number, parts });
      } catch (error) {
        // It may have been stored, so it is not sent again.
        if (!isUnreachableError(error)) throw error;
        if (servers.length === 1) await restart;
        await sleep(RETRY_INTERVAL_MS);
      }
      killIfDue();
    }
    const lanes = Array.from({ length: WRITERS }, async (_, lane) => {
      const own = writers.filter((_writer, index) => index % WRITERS === lane);
      for (let turn = 0; acknowledged.length < options.acknowledged; turn += 1)
        await write(own[turn % own.length] as Writer);
    });
    await Promise.all(lanes);
    await restart;
    for (const server of servers) await server.killAndStart();

    const counts = await countMarks(writers);
    const has = (number: number, part: string) => counts.has(`mark-${number}-${part}`);
    const numbers = Array.from({ length: startedCount }, (_, index) => index + 1);
    return {
      acknowledged: acknowledged.length,
      kills: kills + 1,
      lost: acknowledged.filter(({ number, parts }) => !has(number, 'a') || (parts === 2 && !has(number, 'b'))).length,
      duplicated: [...counts.values()].filter((count) => count > 1).length,
      torn: numbers.filter((number) => has(number, 'b') && !has(number, 'a')).length,
    };
  } finally {
    await rm(dataDir, { recursive: true });
  }
}
