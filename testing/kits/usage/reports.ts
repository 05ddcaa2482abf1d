import type { AnswerOf, RequestInputOf } from '#platform/contract/call.ts';
import { createClient, type Client } from '#platform/contract/client.ts';
import { DAY_MS } from '#platform/contract/duration.ts';
import { pairComputer } from '#testing/security/pairComputer.ts';
import { checkdevices } from '#tools/devices/contract.ts';
import { reportusage, usagestory } from '#tools/screentime/contract.ts';
import type { TestAccount, TestServer } from '../server/server.ts';

export type ReportedSegment = RequestInputOf<typeof reportusage>['segments'][number];

/** A paired computer that reports usage without an agent. */
export interface UsageReporter {
  readonly id: number;
  readonly token: string;
  readonly call: Client;
  readonly report: (
    seq: number,
    segments: readonly ReportedSegment[],
    more?: Partial<RequestInputOf<typeof reportusage>>,
  ) => Promise<AnswerOf<typeof reportusage>>;
}

export async function startReporter(
  server: Pick<TestServer, 'origin'>,
  account: TestAccount,
  name = 'Laptop',
): Promise<UsageReporter> {
  const token = await pairComputer(server.origin, account, name);
  const call = createClient({ origin: server.origin, token: () => token });
  const { status } = await account.call(checkdevices, {});
  return {
    id: Number(status.at(-1)?.[0]),
    token,
    call,
    report: async (seq, segments, more = {}) =>
      call(reportusage, { boot: 'boot-0001', seq, segments: [...segments], ...more }),
  };
}

const formatClock = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString().slice(11, 19);

/** Returns the story of a day in UTC, in words and in order: `Firefox on 10:00:00 10:05:00`. */
export async function listStory(account: TestAccount, date: string, deviceid = '-1'): Promise<readonly string[]> {
  const from = Temporal.Instant.from(`${date}T00:00:00Z`).epochMilliseconds;
  const { stretches: intervals } = await account.call(usagestory, {
    from: String(from),
    until: String(from + DAY_MS),
    deviceid,
  });
  return intervals.map(({ application, status, from: startedAt, until, title }) =>
    [application, status, formatClock(startedAt), formatClock(until), title]
      .filter((word) => word !== undefined)
      .join(' '),
  );
}
