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
 * A part of the page that stays painted while its neighbours are repainted. Until it is painted, it is clipped, but it
 * can be found, read out and jumped to. Each slice has its own attribute: a shared one would restyle all of them.
 */
export function PaintSlice({ position, as: Tag = 'div', className, children }: PaintSliceProps) {
  const paintedCount = use(PaintedSliceCount);
  const state = paintedCount === undefined || paintedCount >= position ? 'painted' : 'cut';
  return (
    <Tag className={className} data-piece={paintedCount === undefined ? undefined : state}>
      {children}
    </Tag>
  );
}
