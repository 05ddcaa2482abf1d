interface Span {
  readonly from: number;
  readonly until: number;
}

/** How much time they cover together, where overlapping time counts once; within the bounds. In any order. */
export const coveredTime = (spans: readonly Span[], { from, until }: Span): number => {
  let covered = 0;
  let reached = from;
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const begins = Math.max(span.from, reached);
    const ends = Math.min(span.until, until);
    if (ends <= begins) continue;
    covered += ends - begins;
    reached = ends;
  }
  return covered;
};
