/** A list with what is at one place at another, counted with it taken out; beyond the ends it is at the end. */
export const movedFrom = <T>(list: readonly T[], from: number, place: number): readonly T[] => {
  if (from < 0 || from >= list.length) return list;
  const others = list.toSpliced(from, 1);
  return others.toSpliced(Math.min(Math.max(place, 0), others.length), 0, ...list.slice(from, from + 1));
};

/** The same for one of its members, by its first place. */
export const movedTo = <T>(list: readonly T[], member: T, place: number): readonly T[] =>
  movedFrom(list, list.indexOf(member), place);

/** Whether there is a place in that direction: the first one goes no further up, the last one no further down. */
export const canMove = (list: readonly unknown[], from: number, by: 1 | -1): boolean =>
  from !== -1 && from + by >= 0 && from + by < list.length;

export const movedBy = <T>(list: readonly T[], from: number, by: 1 | -1): readonly T[] =>
  canMove(list, from, by) ? movedFrom(list, from, from + by) : list;
