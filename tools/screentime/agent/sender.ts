import { createDeliveryLoop } from '#platform/agent/delivery.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { CallError } from '#platform/contract/client.ts';
import { reportusage, REPORT_SEGMENTS } from '../contract.ts';
import type { SteadyClock } from './steadyClock.ts';
import type { Batch, Spool } from './usageSpool.ts';

/** Measured differences between the clocks are a little different each time, and pieces of one stretch shall touch. */
const OFFSET_TOLERANCE_MS = 1000;
const MALFORMED: readonly number[] = [400, 413];

export interface Sender {
  /** Hands in all that waits. Where the server does not take it now, it is tried again, less and less often. */
  readonly send: () => Promise<void>;
  /** What to say of it: why nothing is sent, how much the server refused. */
  readonly status: () => readonly string[];
  readonly stop: () => void;
}

export interface SenderOptions extends Pick<AgentContext, 'call' | 'serverNow' | 'print'> {
  readonly spool: Spool;
  readonly clock: SteadyClock;
}

/** Hands in what waits in the spool, in order, until the server has acknowledged it. */
export const createSender = ({ call, serverNow, print, spool, clock }: SenderOptions): Sender => {
  /** What to add to this run's times for the server's. */
  let offset: number | undefined;
  let most = REPORT_SEGMENTS;
  let refused = 0;

  const measure = async (): Promise<number> => {
    const server = await serverNow();
    const found = Math.round(server - clock());
    if (offset === undefined || Math.abs(found - offset) > OFFSET_TOLERANCE_MS) {
      offset = found;
      spool.keepOffset(found);
    }
    return offset;
  };
  const report = (batch: Batch, dropped: boolean, by: number) =>
    call(reportusage, {
      boot: batch.boot,
      seq: batch.seq,
      ...(dropped ? { dropped } : {}),
      segments: batch.pieces.map(({ from, until, title, ...rest }) => ({
        ...rest,
        from: from + by,
        until: until + by,
        ...(title === undefined ? {} : { title }),
      })),
    });
  const take = (batch: Batch, answer: Awaited<ReturnType<typeof report>>): void => {
    refused += answer.refused ?? 0;
    spool.forget(batch.turn, Math.min(answer.taken, batch.seq + batch.pieces.length - 1));
  };

  const hand = async (batch: Batch, by: number): Promise<void> => {
    const answer = await report(batch, batch.dropped, by);
    const { awaited } = answer;
    if (awaited === undefined) return take(batch, answer);
    // It has more than we knew of: that need not be sent again.
    if (awaited > batch.seq) return spool.forget(batch.turn, awaited - 1);
    // It lost what it had acknowledged, as one that was restored from a copy: that is gone here too.
    take(batch, await report(batch, true, by));
  };
  /** One piece alone that the server cannot read will never get better. */
  const handOrLeave = async (batch: Batch, by: number): Promise<void> => {
    try {
      await hand(batch, by);
      most = REPORT_SEGMENTS;
    } catch (error) {
      if (!(error instanceof CallError && MALFORMED.includes(error.status))) throw error;
      if (batch.pieces.length > 1) {
        most = Math.ceil(batch.pieces.length / 10);
        return;
      }
      print(`The server cannot read a piece of use, which is left out: ${error.message}`);
      refused += 1;
      spool.forget(batch.turn, batch.seq);
    }
  };
  const next = (): Batch | undefined => (delivery.isStopped() ? undefined : spool.next(most));
  const sendAll = async (): Promise<void> => {
    const by = await measure().catch((error: unknown) => {
      // The line may be down already while the server still answers, as when the agent ends.
      if (offset === undefined) throw new CallError(0, 'the server is away', error);
      return offset;
    });
    for (let batch = next(); batch; batch = next()) await handOrLeave(batch, batch.offset ?? by);
  };
  const delivery = createDeliveryLoop({ print, errorPrefix: 'Use of this computer could not be handed in', sendAll });

  return {
    send: delivery.send,
    status: () => [
      ...(delivery.getError() === '' ? [] : [`not sent: ${delivery.getError()}`]),
      ...(refused > 0 ? [`${refused} pieces were refused by the server`] : []),
    ],
    stop: delivery.stop,
  };
};
