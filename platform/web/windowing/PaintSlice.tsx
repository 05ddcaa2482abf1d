import { createContext, use, type ReactNode } from 'react';

/** Number of paint slices that are painted; undefined paints all of them. */
export const PaintedSliceCount = createContext<number | undefined>(undefined);

interface PaintSliceProps {
  /** Position in the order of painting, from 1. */
  readonly position: number;
  readonly as?: 'div' | 'tbody';
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/**
 * A part of the page that stays painted while its neighbours are repainted. Until it is painted, it is clipped, but it
 * can be found, read out and jumped to. The attribute is on each slice: one on a parent would restyle all of them.
 */
export function PaintSlice({ position, as: Tag = 'div', className, children }: PaintSliceProps) {
  const paintedCount = use(PaintedSliceCount);
  const isClipped = paintedCount !== undefined && paintedCount < position;
  // Without a count, all slices are painted immediately and need no attribute. `base.css` clips 'cut'.
  const attribute = isClipped ? 'cut' : 'painted';
  return (
    <Tag className={className} data-piece={paintedCount === undefined ? undefined : attribute}>
      {children}
    </Tag>
  );
}
