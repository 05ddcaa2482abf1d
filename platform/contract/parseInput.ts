import type * as z from 'zod/mini';

type Issue = z.core.$ZodIssue;

/** Paths at which the schema takes a text; in a union, by whichever member does. */
const textPaths = (issues: readonly Issue[], above: readonly PropertyKey[] = []): readonly (readonly PropertyKey[])[] =>
  issues.flatMap((issue) => {
    const path = [...above, ...issue.path];
    if (issue.code === 'invalid_union') return issue.errors.flatMap((errors) => textPaths(errors, path));
    const isText =
      (issue.code === 'invalid_type' && issue.expected === 'string') ||
      (issue.code === 'invalid_value' && issue.values.some((value) => typeof value === 'string'));
    return isText ? [path] : [];
  });

/** The value with its whole numbers at these paths as digits. What is copied is copied once, `value` stays as it is. */
const withDigits = (value: unknown, paths: readonly (readonly PropertyKey[])[]): unknown => {
  if (paths.some((path) => path.length === 0)) return Number.isSafeInteger(value) ? String(value) : value;
  if (typeof value !== 'object' || value === null || paths.length === 0) return value;
  const below = Map.groupBy(paths, ([key]) => String(key));
  const convert = (key: string, inner: unknown): unknown =>
    withDigits(
      inner,
      (below.get(key) ?? []).map(([, ...rest]) => rest),
    );
  if (Array.isArray(value)) return value.map((inner: unknown, at) => convert(String(at), inner));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, convert(key, inner)]));
};

/**
 * Parses what a client sent. Where a text is expected and a whole number came, its digits are the text: clients that follow the specification
 * convert strings of digits to integers.
 */
export function parseInput<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): ReturnType<Schema['safeParse']> {
  const first = schema.safeParse(value) as ReturnType<Schema['safeParse']>;
  if (first.success) return first;
  const paths = textPaths(first.error.issues);
  if (paths.length === 0) return first;
  const second = schema.safeParse(withDigits(value, paths)) as ReturnType<Schema['safeParse']>;
  // What stays wrong is told, not the number that was taken as its digits.
  return second;
}
