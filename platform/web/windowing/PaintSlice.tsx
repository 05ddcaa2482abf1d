import { createContext, use, type ReactNode } from 'react';

/** Number of paint slices that are painted; undefined paints all of them. */
export const PaintedSliceCount = createContext<number | undefined>(undefined);

interface PaintSliceProps {
  /** From 1, in the order of painting. */
  readonly position: number;
  readonly as?: 'div' | 'tbody';
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/**
 * A paint slice: stays painted while its neighbours are repainted. Before that it is clipped, but can be found, read
 * out and jumped to. Each slice has its own attribute, because a shared one would restyle the whole part.
 */
export function PaintSlice({ position, as: Tag = 'div', className, children }: PaintSliceProps) {
  const painted = use(PaintedSliceCount);
  const state = painted === undefined || painted >= position ? 'painted' : 'cut';
  return (
    <Tag className={className} data-piece={painted === undefined ? undefined : state}>
      {children}
    </Tag>
  );
}
