import { flushSync } from 'react-dom';

// How much work a phone's processor does within a frame, with time to spare. Measured; docs/windowing.md explains them.

/** Lanes of the screen time timeline, or other work counted in lanes. */
export const LANES_PER_FRAME = 10;
/** Lines of a list of days. */
export const LINES_PER_FRAME = 8;
/** Pictures that are requested. */
export const PICTURES_PER_FRAME = 2;
/** Each unmount triggers a garbage collection pause, and a long scroll always has more urgent work. */
const MAX_QUEUED_UNMOUNTS = 1;

/**
 * Removes and yields the next jobs of a frame. At least one; after it a queue ends at its first job that exceeds the
 * budget. Jobs that are added meanwhile are included.
 * @param queues jobs with their costs, most urgent queue first
 */
export function* takeJobs<Job>(queues: Iterable<Map<Job, number>>, budget: number): Generator<Job> {
  let spent = 0;
  for (const queue of queues)
    for (const [job, cost] of queue) {
      // A job without cost still takes time.
      const time = Math.max(1, cost);
      if (spent > 0 && spent + time > budget) break;
      spent += time;
      queue.delete(job);
      yield job;
    }
}

type RenderJob = () => void;

/** Priority: visible, then coming into view, then gone (unless many of those are queued). */
export type Urgency = 'shown' | 'coming' | 'gone';

interface QueuedRender {
  readonly urgency: Urgency;
  /** Number of lanes it draws. */
  readonly lanes: number;
}

/** Number of lanes that each job draws, by urgency. */
const queues: Readonly<Record<Urgency, Map<RenderJob, number>>> = {
  shown: new Map(),
  coming: new Map(),
  gone: new Map(),
};
let frame: number | undefined;

/** Requests a batch in a task after the paint, so that it doesn't extend the frame's own work. */
function requestRun(): void {
  frame ??= requestAnimationFrame(() => setTimeout(runBatch));
}
const hasQueuedJobs = (): boolean => Object.values(queues).some(({ size }) => size > 0);
/** Forces layout here, because the next paint would have to do it in addition to its own work. */
const forceLayout = (): void => void document.documentElement.getBoundingClientRect();
/** Lists the queues, most urgent first. */
function listQueues(): readonly Map<RenderJob, number>[] {
  const { shown, coming, gone } = queues;
  return gone.size > MAX_QUEUED_UNMOUNTS ? [gone, shown, coming] : [shown, coming, gone];
}
function runBatch(): void {
  frame = undefined;
  for (const job of takeJobs(listQueues(), LANES_PER_FRAME)) flushSync(job);
  forceLayout();
  if (hasQueuedJobs()) requestRun();
}

/**
 * Runs a few jobs per frame, so that rendering while scrolling is never a long task. React renders each job
 * synchronously, because deferred ones would share a frame. Returns a function that cancels the job.
 */
export function queueRender(job: RenderJob, { urgency, lanes }: QueuedRender): () => void {
  queues[urgency].set(job, lanes);
  requestRun();
  return () => void queues[urgency].delete(job);
}
