type Job = () => void;

const urgent = new Set<Job>();
const waiting = new Set<Job>();
let frame: number | undefined;

const runNext = (): void => {
  frame = undefined;
  const queue = urgent.size > 0 ? urgent : waiting;
  const [job] = queue;
  if (!job) return;
  queue.delete(job);
  job();
  if (urgent.size + waiting.size > 0) frame ??= requestAnimationFrame(runNext);
};

/**
 * Does one job in each frame, so that what is drawn while the days pass by is never a long task: a day that comes near, some of its names,
 * its canvas. What is in sight already (`isUrgent`) comes first. Gives back how to call it off.
 */
export const inTurn = (job: Job, isUrgent = false): (() => void) => {
  (isUrgent ? urgent : waiting).add(job);
  frame ??= requestAnimationFrame(runNext);
  return () => {
    urgent.delete(job);
    waiting.delete(job);
  };
};
