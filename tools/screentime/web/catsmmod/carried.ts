/** The application that is being dragged, and the category that it comes from. */
export interface Carried {
  readonly application: string;
  readonly from: string;
}

const KEY = Symbol('an application of /catsmmod');

export const carrying = (carried: Carried): Record<symbol, unknown> => ({ [KEY]: carried });

/** Undefined for what else may be dragged over the page. */
export const carriedIn = (data: Record<string | symbol, unknown>): Carried | undefined =>
  data[KEY] as Carried | undefined;
