/** The application that is being dragged, and the category that it comes from. */
export interface DraggedApplication {
  readonly application: string;
  readonly from: string;
}

const KEY = Symbol('an application of /catsmmod');

export function carrying(carried: DraggedApplication): Record<symbol, unknown> {
  return { [KEY]: carried };
}

/** Undefined for what else may be dragged over the page. */
export function carriedIn(data: Record<string | symbol, unknown>): DraggedApplication | undefined {
  return data[KEY] as DraggedApplication | undefined;
}
