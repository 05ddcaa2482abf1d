// How much work a phone's processor does within a frame, with time to spare. Measured; docs/windowing.md explains them.

/** Lanes of the screen time timeline, or other work counted in lanes. */
export const LANES_PER_FRAME = 10;
/** Lines of a long list. */
export const LINES_PER_FRAME = 8;
/** Pictures that are requested. */
export const PICTURES_PER_FRAME = 2;
/** Max unmounts that wait: each one triggers a garbage collection pause, and a long scroll always has other work. */
export const MAX_QUEUED_UNMOUNTS = 1;

/**
 * Removes and yields the next jobs of a frame. At least one; after it a queue ends at its first job that exceeds the
 * budget. Jobs that are added meanwhile are included.
 * @param queues jobs with their costs, most urgent queue first
 */
export function* takeJobs<Job>(queues: Iterable<Map<Job, number>>, budget: number): Generator<Job> {
  let spent = 0;
  for (const queue of queues)
    for (const [job, cost] of queue) {
      if (spent > 0 && spent + cost > budget) break;
      // A job without cost still takes time.
      spent += Math.max(1, cost);
      queue.delete(job);
      yield job;
    }
}
