/** Where something that is carried lands, counted with it taken out: before or behind what stands at `over`. */
export const landing = (from: number, over: number, side: 'before' | 'behind'): number => {
  const gap = side === 'before' ? over : over + 1;
  return gap > from ? gap - 1 : gap;
};
