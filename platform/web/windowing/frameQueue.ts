import { flushSync } from 'react-dom';
import { LANES_PER_FRAME, MAX_QUEUED_UNMOUNTS, takeJobs } from './frameBudget.ts';

type Job = () => void;

/** Priority: visible, then coming into view, then gone (unless many of those are queued). */
export type Urgency = 'shown' | 'coming' | 'gone';

interface QueuedRender {
  readonly urgency: Urgency;
  /** Number of lanes it draws. */
  readonly lanes: number;
}

/** Jobs with the number of lanes that they draw. */
const queues: Readonly<Record<Urgency, Map<Job, number>>> = {
  shown: new Map(),
  coming: new Map(),
  gone: new Map(),
};
let frame: number | undefined;

/** Runs in a task after the paint, so that it doesn't extend the frame's own work. */
const requestRun = (): void => {
  frame ??= requestAnimationFrame(() => setTimeout(runBatch));
};
const isWaiting = (): boolean => Object.values(queues).some(({ size }) => size > 0);
/** Forces layout here, because the next paint would have to do it in addition to its own work. */
const forceLayout = (): void => void document.documentElement.getBoundingClientRect();
const inOrder = (): readonly Map<Job, number>[] => {
  const { shown, coming, gone } = queues;
  return gone.size > MAX_QUEUED_UNMOUNTS ? [gone, shown, coming] : [shown, coming, gone];
};
const runBatch = (): void => {
  frame = undefined;
  for (const job of takeJobs(inOrder(), LANES_PER_FRAME)) flushSync(job);
  forceLayout();
  if (isWaiting()) requestRun();
};

/**
 * Runs a few jobs per frame, so that rendering while scrolling is never a long task. React renders each job
 * synchronously, because deferred ones would share a frame. Returns a function that cancels the job.
 */
export function queueRender(job: Job, { urgency, lanes }: QueuedRender): () => void {
  queues[urgency].set(job, lanes);
  requestRun();
  return () => void queues[urgency].delete(job);
}
