import { flushSync } from 'react-dom';

// How much work a phone's processor does within a frame, with time to spare. Measured; docs/windowing.md explains them.

/** Total cost of the renders. One unit is as much work as a lane of the screen time timeline. */
export const MAX_COST_PER_FRAME = 10;
/** Lines of a list of days. */
export const LINES_PER_FRAME = 8;
/** Pictures that are requested. */
export const PICTURES_PER_FRAME = 2;
/** Each unmount triggers a garbage collection pause, and a long scroll always has more urgent work. */
const MAX_QUEUED_UNMOUNTS = 1;

/**
 * Removes and yields the next tasks of a frame: at least one, and more while they fit the budget. The rest of a queue
 * waits after its first task that doesn't fit. Tasks that are added meanwhile are included.
 * @param queues tasks with their costs, most urgent queue first
 */
export function* takeTasks<Task>(queues: Iterable<Map<Task, number>>, budget: number): Generator<Task> {
  let spentCost = 0;
  for (const queue of queues)
    for (const [task, cost] of queue) {
      // A task without cost still takes time.
      const taskCost = Math.max(1, cost);
      if (spentCost > 0 && spentCost + taskCost > budget) break;
      spentCost += taskCost;
      queue.delete(task);
      yield task;
    }
}

type RenderTask = () => void;

/** What a render is for, most urgent first. Several offscreen renders are more urgent than all others. */
export type Urgency = 'visible' | 'near' | 'offscreen';

interface RenderOptions {
  readonly urgency: Urgency;
  /** Work of the render, as in `MAX_COST_PER_FRAME`. */
  readonly cost: number;
}

/** Queued renders with their costs. */
const queues: Readonly<Record<Urgency, Map<RenderTask, number>>> = {
  visible: new Map(),
  near: new Map(),
  offscreen: new Map(),
};
let requestedFrame: number | undefined;

/** Requests a batch of tasks after the paint, so that it doesn't extend the frame's own work. */
function requestRun(): void {
  requestedFrame ??= requestAnimationFrame(() => setTimeout(runBatch));
}
const hasQueuedTasks = (): boolean => Object.values(queues).some(({ size }) => size > 0);
/** Forces layout here, because the next paint would have to do it in addition to its own work. */
const forceLayout = (): void => void document.documentElement.getBoundingClientRect();
/** Lists the queues, most urgent first. */
function listQueues(): readonly Map<RenderTask, number>[] {
  const { visible, near, offscreen } = queues;
  return offscreen.size > MAX_QUEUED_UNMOUNTS ? [offscreen, visible, near] : [visible, near, offscreen];
}
function runBatch(): void {
  requestedFrame = undefined;
  for (const task of takeTasks(listQueues(), MAX_COST_PER_FRAME)) flushSync(task);
  forceLayout();
  if (hasQueuedTasks()) requestRun();
}

/**
 * Queues a render. A few run per frame, so that scrolling stays smooth. React renders each one synchronously, because
 * deferred ones would share a frame. Returns a function that cancels it.
 */
export function queueRender(render: RenderTask, { urgency, cost }: RenderOptions): () => void {
  queues[urgency].set(render, cost);
  requestRun();
  return () => void queues[urgency].delete(render);
}
