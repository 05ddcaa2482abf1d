import type * as z from 'zod/mini';

type Issue = z.core.$ZodIssue;

type Path = readonly PropertyKey[];

type Kind = 'text' | 'number';

/** A path at which the schema expects a text or a number. */
interface ExpectedPath {
  readonly path: Path;
  readonly kind: Kind;
}

function findExpectedKinds(issue: Issue): readonly Kind[] {
  const names =
    issue.code === 'invalid_type'
      ? [issue.expected]
      : issue.code === 'invalid_value'
        ? issue.values.map((value) => typeof value)
        : [];
  return [
    ...(names.includes('string') ? (['text'] as const) : []),
    ...(names.includes('number') ? (['number'] as const) : []),
  ];
}

/** Lists the paths at which the schema expects a text or a number; for a union, in any of its members. */
const listExpectedPaths = (issues: readonly Issue[], parentPath: Path = []): readonly ExpectedPath[] =>
  issues.flatMap((issue) => {
    const path = [...parentPath, ...issue.path];
    if (issue.code === 'invalid_union') return issue.errors.flatMap((errors) => listExpectedPaths(errors, path));
    return findExpectedKinds(issue).map((kind) => ({ path, kind }));
  });

const NUMBER_PATTERN = /^-?\d{1,15}(?:\.\d{1,15})?$/;

function convertValue(value: unknown, kinds: readonly Kind[]): unknown {
  if (kinds.includes('text') && Number.isSafeInteger(value)) return String(value);
  return kinds.includes('number') && typeof value === 'string' && NUMBER_PATTERN.test(value) ? Number(value) : value;
}

/** Copies the value and converts the members at these paths: integers to texts, and texts to numbers. */
function convertMembers(value: unknown, paths: readonly ExpectedPath[]): unknown {
  const ownKinds = paths.filter(({ path }) => path.length === 0).map(({ kind }) => kind);
  if (ownKinds.length > 0) return convertValue(value, ownKinds);
  if (typeof value !== 'object' || value === null || paths.length === 0) return value;
  const pathsByKey = Map.groupBy(paths, ({ path: [key] }) => String(key));
  const convertMember = (key: string, member: unknown): unknown =>
    convertMembers(
      member,
      (pathsByKey.get(key) ?? []).map(({ path: [, ...path], kind }) => ({ path, kind })),
    );
  if (Array.isArray(value)) return value.map((member: unknown, index) => convertMember(String(index), member));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, convertMember(key, member)]));
}

/**
 * Parses input of a client. Integers are accepted for texts, and texts such as '12' for numbers: clients that follow
 * docs/specification/platform.md section 1.3 convert strings of digits, and form fields have texts.
 */
export function parseInput<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): ReturnType<Schema['safeParse']> {
  const result = schema.safeParse(value) as ReturnType<Schema['safeParse']>;
  if (result.success) return result;
  const paths = listExpectedPaths(result.error.issues);
  if (paths.length === 0) return result;
  // Its issues do not include the converted values.
  return schema.safeParse(convertMembers(value, paths)) as ReturnType<Schema['safeParse']>;
}
