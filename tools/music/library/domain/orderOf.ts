/** The orders of a playlist's songs, in which its button cycles (specification 2, section 2.7). */
export const ORDERS = ['default', 'newest first', 'oldest first'] as const;
export type Order = (typeof ORDERS)[number];

export const nextOrder = (order: Order): Order => ORDERS[(ORDERS.indexOf(order) + 1) % ORDERS.length] ?? 'default';

/** Songs in this order; `default` is the playlist's own. Of songs alike the playlist's order holds. */
export const inOrder = (
  songs: readonly number[],
  order: Order,
  orderOf: (song: number) => number,
): readonly number[] => {
  if (order === 'default') return songs;
  const sign = order === 'newest first' ? -1 : 1;
  return songs.toSorted((one, other) => sign * (orderOf(one) - orderOf(other)));
};
