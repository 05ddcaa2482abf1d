import type { FastifyBaseLogger } from 'fastify';
import { scheduleRepeating, realTimers, type Timers } from './timers.ts';

/** Something that a tool does by itself, again and again. */
export interface ScheduledTask {
  /** For the log. */
  readonly name: string;
  readonly intervalSeconds: number;
  readonly run: () => Promise<void>;
}

/** Runs each job at its pace, never twice at once: one that takes longer leaves turns out. A failed turn is logged. */
export const startScheduler = ({
  log,
  timers = realTimers,
  jobs,
}: {
  readonly log: FastifyBaseLogger;
  readonly timers?: Timers;
  readonly jobs: readonly ScheduledTask[];
}): AsyncDisposable => {
  const running = new Map<ScheduledTask, Promise<void>>();
  const turn = async (job: ScheduledTask): Promise<void> => {
    try {
      await job.run();
    } catch (error) {
      log.error({ err: error, job: job.name }, 'job failed');
    } finally {
      running.delete(job);
    }
  };
  const callOffs = jobs.map((job) =>
    scheduleRepeating(timers, job.intervalSeconds * 1000, () => {
      if (!running.has(job)) running.set(job, turn(job));
    }),
  );
  return {
    [Symbol.asyncDispose]: async () => {
      for (const callOff of callOffs) callOff();
      await Promise.all(running.values());
    },
  };
};
