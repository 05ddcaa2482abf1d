import { createContext, use, type ReactNode } from 'react';

/** How many pieces of a part of a long page are painted. Where nobody says, all are. */
export const PaintedSliceCount = createContext<number | undefined>(undefined);

interface PaintSliceProps {
  /** From 1, in the order in which they are painted. */
  readonly position: number;
  readonly as?: 'div' | 'tbody';
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/**
 * What the browser paints by itself: it stays painted when what is beside it is painted anew. Before its turn it is cut off, and there all the
 * same: to be found, read out and jumped to. By an attribute of its own: one of the part, and the browser would look through all that is in it.
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
