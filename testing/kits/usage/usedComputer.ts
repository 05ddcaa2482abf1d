import type { TestAccount, TestServer } from '../server/server.ts';
import { startReporter, type ReportedSegment } from './reports.ts';

/** A computer that reports the usage that the test defines. */
export interface UsageComputer {
  readonly id: number;
  readonly token: string;
  /**
   * Reports usage with ISO times and an optional title:
   * `['firefox', 'on', '2026-11-21T08:00Z', '2026-11-21T09:00Z']`.
   */
  readonly reportUse: (...intervals: readonly UsageTuple[]) => Promise<void>;
}

export type UsageTuple = readonly [
  app: string,
  status: ReportedSegment['status'],
  from: string,
  until: string,
  title?: string,
];

const BATCH_SIZE = 1000;
const toMilliseconds = (text: string): number => Temporal.Instant.from(text).epochMilliseconds;

/** Pairs a computer with the account without an agent. All reported usage must be valid. */
export async function pairUsageComputer(
  server: Pick<TestServer, 'origin'>,
  account: TestAccount,
  name: string,
): Promise<UsageComputer> {
  const { id, token, report } = await startReporter(server, account, name);
  let sent = 0;
  return {
    id,
    token,
    reportUse: async (...intervals) => {
      const segments = intervals.map(([app, status, from, until, title]) => ({
        app,
        status,
        from: toMilliseconds(from),
        until: toMilliseconds(until),
        title,
      }));
      for (let start = 0; start < segments.length; start += BATCH_SIZE) {
        const batch = segments.slice(start, start + BATCH_SIZE);
        const { taken, refused } = await report(sent + 1, batch);
        sent += batch.length;
        if (taken !== sent || refused !== undefined) throw new Error(`${taken} of ${sent} taken, ${refused} refused`);
      }
    },
  };
}
