import { flushSync } from 'react-dom';

type Job = () => void;

/** What is in sight comes first, then what will be, then, unless much of it waits, what is not any more. */
export type Urgency = 'shown' | 'coming' | 'gone';

interface QueuedRender {
  readonly urgency: Urgency;
  /** How many lanes it draws. */
  readonly lanes: number;
}

/** Lanes that a phone's processor draws between two pictures and has time to spare. */
export const LANES_PER_FRAME = 10;

const queues: Readonly<Record<Urgency, Map<Job, QueuedRender>>> = {
  shown: new Map(),
  coming: new Map(),
  gone: new Map(),
};
/** Of what is not seen any more, so much may wait: in a long scroll there is always something else to do, and the browser stops everything to look through all that is there. */
const MAX_QUEUED_UNMOUNTS = 1;
let frame: number | undefined;

/** In a piece of its own behind the drawing of the screen: before it, the frame's own work would be made longer. */
const ask = (): void => {
  frame ??= requestAnimationFrame(() => setTimeout(runSome));
};
const isWaiting = (): boolean => Object.values(queues).some(({ size }) => size > 0);
/** Else the drawing of the screen would do it, and is long enough with what there is to paint. */
const layOut = (): void => void document.documentElement.getBoundingClientRect();
const inOrder = (): readonly Map<Job, QueuedRender>[] => {
  const { shown, coming, gone } = queues;
  return gone.size > MAX_QUEUED_UNMOUNTS ? [gone, shown, coming] : [shown, coming, gone];
};
const runSome = (): void => {
  frame = undefined;
  let done = 0;
  for (const queue of inOrder())
    for (const [job, { lanes }] of queue) {
      if (done > 0 && done + lanes > LANES_PER_FRAME) break;
      done += Math.max(1, lanes);
      queue.delete(job);
      flushSync(job);
    }
  layOut();
  if (isWaiting()) ask();
};

/**
 * Does a few jobs in each frame, so that what is drawn while the days pass by is never a long task: days that come near, some of their
 * names, their canvases. What React draws for a job it draws at once: put off, it would come into one frame with the next. Gives back how to call
 * it off.
 */
export function queueRender(job: Job, turn: QueuedRender): () => void {
  queues[turn.urgency].set(job, turn);
  ask();
  return () => void queues[turn.urgency].delete(job);
}
