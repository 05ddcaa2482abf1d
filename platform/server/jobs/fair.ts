/** The oldest job of an account that could run now. */
export interface JobCandidate {
  readonly id: number;
  readonly account: number;
}

/** The candidate whose account has the fewest running; of equals the oldest. So who queues a thousand holds up nobody else. */
export const pickFairestJob = (
  candidates: readonly JobCandidate[],
  runningOf: (account: number) => number,
): JobCandidate | undefined =>
  candidates.reduce<JobCandidate | undefined>((best, one) => {
    if (best === undefined) return one;
    const more = runningOf(one.account) - runningOf(best.account);
    return more < 0 || (more === 0 && one.id < best.id) ? one : best;
  }, undefined);
