/** In pieces of at most `size`, in order: what a statement takes of them at once. None of nothing. */
export const splitIntoChunks = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
