/** A list with one of its members at another place, counted with it taken out; beyond the ends it stands at the end. */
export const movedTo = <T>(list: readonly T[], member: T, place: number): readonly T[] => {
  const from = list.indexOf(member);
  if (from === -1) return list;
  const others = list.toSpliced(from, 1);
  return others.toSpliced(Math.min(Math.max(place, 0), others.length), 0, member);
};

/** Whether there is a place in that direction: the first one goes no further up, the last one no further down. */
export const canMove = <T>(list: readonly T[], member: T, by: 1 | -1): boolean => {
  const from = list.indexOf(member);
  return from !== -1 && from + by >= 0 && from + by < list.length;
};

export const movedBy = <T>(list: readonly T[], member: T, by: 1 | -1): readonly T[] =>
  canMove(list, member, by) ? movedTo(list, member, list.indexOf(member) + by) : list;
