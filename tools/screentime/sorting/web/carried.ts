/** The dragged application, and its category. */
export interface DraggedApplication {
  readonly application: string;
  readonly from: string;
}

const KEY = Symbol('an application of /catsmmod');

export function createDragData(carried: DraggedApplication): Record<symbol, unknown> {
  return { [KEY]: carried };
}

/** Returns undefined for other dragged things. */
export function findDraggedApplication(data: Record<string | symbol, unknown>): DraggedApplication | undefined {
  return data[KEY] as DraggedApplication | undefined;
}
