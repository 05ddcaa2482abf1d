/** The application that is being dragged, and the category that it comes from. */
export interface DraggedApplication {
  readonly application: string;
  readonly from: string;
}

const KEY = Symbol('an application of /catsmmod');

export const carrying = (carried: DraggedApplication): Record<symbol, unknown> => ({ [KEY]: carried });

/** Undefined for what else may be dragged over the page. */
export const carriedIn = (data: Record<string | symbol, unknown>): DraggedApplication | undefined =>
  data[KEY] as DraggedApplication | undefined;
