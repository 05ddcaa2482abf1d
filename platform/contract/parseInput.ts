import type * as z from 'zod/mini';

type Issue = z.core.$ZodIssue;

/** Returns the paths at which the schema expects a string; for a union, in any of its members. */
const findTextPaths = (
  issues: readonly Issue[],
  above: readonly PropertyKey[] = [],
): readonly (readonly PropertyKey[])[] =>
  issues.flatMap((issue) => {
    const path = [...above, ...issue.path];
    if (issue.code === 'invalid_union') return issue.errors.flatMap((errors) => findTextPaths(errors, path));
    const isText =
      (issue.code === 'invalid_type' && issue.expected === 'string') ||
      (issue.code === 'invalid_value' && issue.values.some((value) => typeof value === 'string'));
    return isText ? [path] : [];
  });

/** Copies the value and converts the safe integers at these paths to strings. */
const convertIntegers = (value: unknown, paths: readonly (readonly PropertyKey[])[]): unknown => {
  if (paths.some((path) => path.length === 0)) return Number.isSafeInteger(value) ? String(value) : value;
  if (typeof value !== 'object' || value === null || paths.length === 0) return value;
  const below = Map.groupBy(paths, ([key]) => String(key));
  const convert = (key: string, inner: unknown): unknown =>
    convertIntegers(
      inner,
      (below.get(key) ?? []).map(([, ...rest]) => rest),
    );
  if (Array.isArray(value)) return value.map((inner: unknown, index) => convert(String(index), inner));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, convert(key, inner)]));
};

/**
 * Parses input of a client. Integers are accepted for strings, because clients that follow
 * docs/specification/platform.md section 1.3 convert strings of digits to integers.
 */
export function parseInput<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): ReturnType<Schema['safeParse']> {
  const first = schema.safeParse(value) as ReturnType<Schema['safeParse']>;
  if (first.success) return first;
  const paths = findTextPaths(first.error.issues);
  if (paths.length === 0) return first;
  const second = schema.safeParse(convertIntegers(value, paths)) as ReturnType<Schema['safeParse']>;
  // Report the remaining issues, not the converted integers.
  return second;
}
