import { flushSync } from 'react-dom';

type Job = () => void;

/** Priority: visible, then coming into view, then gone (unless many of those are queued). */
export type Urgency = 'shown' | 'coming' | 'gone';

interface QueuedRender {
  readonly urgency: Urgency;
  /** Number of lanes it draws. */
  readonly lanes: number;
}

/** Lanes that a phone's processor draws within a frame with time to spare. */
export const LANES_PER_FRAME = 10;

const queues: Readonly<Record<Urgency, Map<Job, QueuedRender>>> = {
  shown: new Map(),
  coming: new Map(),
  gone: new Map(),
};
/** Max queued unmounts: each one triggers a garbage collection pause, and a long scroll always has other work. */
const MAX_QUEUED_UNMOUNTS = 1;
let frame: number | undefined;

/** Runs in a task after the paint, so that it doesn't extend the frame's own work. */
const requestRun = (): void => {
  frame ??= requestAnimationFrame(() => setTimeout(runBatch));
};
const isWaiting = (): boolean => Object.values(queues).some(({ size }) => size > 0);
/** Forces layout here, because the next paint would have to do it in addition to its own work. */
const forceLayout = (): void => void document.documentElement.getBoundingClientRect();
const inOrder = (): readonly Map<Job, QueuedRender>[] => {
  const { shown, coming, gone } = queues;
  return gone.size > MAX_QUEUED_UNMOUNTS ? [gone, shown, coming] : [shown, coming, gone];
};
const runBatch = (): void => {
  frame = undefined;
  let ranCount = 0;
  for (const queue of inOrder())
    for (const [job, { lanes }] of queue) {
      if (ranCount > 0 && ranCount + lanes > LANES_PER_FRAME) break;
      ranCount += Math.max(1, lanes);
      queue.delete(job);
      flushSync(job);
    }
  forceLayout();
  if (isWaiting()) requestRun();
};

/**
 * Runs a few jobs per frame, so that rendering while scrolling is never a long task. React renders each job
 * synchronously, because deferred ones would share a frame. Returns a function that cancels the job.
 */
export function queueRender(job: Job, turn: QueuedRender): () => void {
  queues[turn.urgency].set(job, turn);
  requestRun();
  return () => void queues[turn.urgency].delete(job);
}
