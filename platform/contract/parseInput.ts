import type * as z from 'zod/mini';

type Issue = z.core.$ZodIssue;

type Path = readonly PropertyKey[];

/** Lists the paths at which the schema expects a string; for a union, in any of its members. */
const listTextPaths = (issues: readonly Issue[], parentPath: Path = []): readonly Path[] =>
  issues.flatMap((issue) => {
    const path = [...parentPath, ...issue.path];
    if (issue.code === 'invalid_union') return issue.errors.flatMap((errors) => listTextPaths(errors, path));
    const isText =
      (issue.code === 'invalid_type' && issue.expected === 'string') ||
      (issue.code === 'invalid_value' && issue.values.some((value) => typeof value === 'string'));
    return isText ? [path] : [];
  });

/** Copies the value and converts the safe integers at these paths to strings. */
function convertIntegers(value: unknown, paths: readonly Path[]): unknown {
  if (paths.some((path) => path.length === 0)) return Number.isSafeInteger(value) ? String(value) : value;
  if (typeof value !== 'object' || value === null || paths.length === 0) return value;
  const pathsByKey = Map.groupBy(paths, ([key]) => String(key));
  const convertMember = (key: string, member: unknown): unknown =>
    convertIntegers(
      member,
      (pathsByKey.get(key) ?? []).map(([, ...rest]) => rest),
    );
  if (Array.isArray(value)) return value.map((member: unknown, index) => convertMember(String(index), member));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, convertMember(key, member)]));
}

/**
 * Parses input of a client. Integers are accepted for strings, because clients that follow
 * docs/specification/platform.md section 1.3 convert strings of digits to integers.
 */
export function parseInput<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): ReturnType<Schema['safeParse']> {
  const result = schema.safeParse(value) as ReturnType<Schema['safeParse']>;
  if (result.success) return result;
  const paths = listTextPaths(result.error.issues);
  if (paths.length === 0) return result;
  // Its issues do not include the converted integers.
  return schema.safeParse(convertIntegers(value, paths)) as ReturnType<Schema['safeParse']>;
}
