import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type Handler } from '#platform/server/tool.ts';
import { reportusage } from '../../contract.ts';
import type { UsageIngest } from './usageIngest.ts';

/** Of one boot. No computer counts so far. */
const MAX_SEGMENTS = 1_000_000_000_000;

export const reportCalls = (ingest: Pick<UsageIngest, 'take'>): readonly Handler[] => [
  handle(reportusage, async ({ boot, seq, dropped = false, segments }, { account, device }) => {
    if (seq > MAX_SEGMENTS) throw new Refusal('seq is too large: begin a new boot');
    const { taken, awaited, refused } = await ingest.take({ account, device, boot, seq, dropped, segments });
    return { taken, ...(awaited === undefined ? {} : { awaited }), ...(refused === 0 ? {} : { refused }) };
  }),
];
