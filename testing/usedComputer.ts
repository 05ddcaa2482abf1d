import type { SentOf } from '#platform/contract/call.ts';
import { makeClient } from '#platform/contract/client.ts';
import { checkdevices } from '#tools/devices/contract.ts';
import { reportusage } from '#tools/screentime/contract.ts';
import { pair } from './security/paired.ts';
import type { TestAccount } from './server.ts';

type Segment = SentOf<typeof reportusage>['segments'][number];

/** A computer that hands in what it is told to. */
export interface UsedComputer {
  readonly id: number;
  readonly token: string;
  /** Times as ISO texts: `['firefox', 'on', '2026-11-21T08:00Z', '2026-11-21T09:00Z']`. */
  readonly used: (...stretches: readonly Stretch[]) => Promise<void>;
}

export type Stretch = readonly [app: string, status: Segment['status'], from: string, until: string];

const SEGMENTS_AT_ONCE = 1000;
const msOf = (text: string): number => Temporal.Instant.from(text).epochMilliseconds;

/** Pairs a computer with the account; no agent runs. */
export const pairUsed = async (
  { origin }: { readonly origin: string },
  account: TestAccount,
  name: string,
): Promise<UsedComputer> => {
  const token = await pair(origin, account, name);
  const listed = await account.call(checkdevices, {});
  const id = Number(listed.status.find(([, known]) => known === name)?.[0]);
  const call = makeClient({ origin, token: () => token });
  let sent = 0;
  return {
    id,
    token,
    used: async (...stretches) => {
      const segments = stretches.map(([app, status, from, until]) => ({
        app,
        status,
        from: msOf(from),
        until: msOf(until),
      }));
      for (let at = 0; at < segments.length; at += SEGMENTS_AT_ONCE) {
        const some = segments.slice(at, at + SEGMENTS_AT_ONCE);
        const { taken, refused } = await call(reportusage, {
          boot: `boot-of-${id}`.padEnd(8, '-'),
          seq: sent + 1,
          segments: some,
        });
        sent += some.length;
        if (taken !== sent || refused !== undefined) throw new Error(`${taken} of ${sent} taken, ${refused} refused`);
      }
    },
  };
};
