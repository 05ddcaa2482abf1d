import type { FastifyInstance } from 'fastify';
import type * as z from 'zod/mini';

export const MAX_BODY_BYTES = 64 * 1024;
const MAX_DEPTH = 32;

/** The request does not match the call's declaration. Becomes a 400 response with this message. */
export class BadRequestError extends Error {
  override readonly name = 'BadRequestError';
  readonly statusCode = 400;
}

/** Describes the first problem as `<field>: <what is wrong>`. `whole` names the input if no single field is wrong. */
export function describeZodError(error: z.core.$ZodError, whole: 'body' | 'data'): string {
  const issue = error.issues[0];
  return issue ? `${issue.path.join('.').slice(0, 200) || whole}: ${issue.message}` : `${whole}: is not valid`;
}

/** Returns the `token` field of an untrusted value, if it is a non-empty string. */
export function getTokenField(fields: unknown): string | undefined {
  if (typeof fields !== 'object' || fields === null || !('token' in fields)) return undefined;
  return typeof fields.token === 'string' && fields.token !== '' ? fields.token : undefined;
}

/** Returns whether a value has more than `maxDepth` nested levels of objects and arrays. */
function isDeeperThan(value: unknown, maxDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (maxDepth === 0) return true;
  for (const key in value) if (isDeeperThan((value as Record<string, unknown>)[key], maxDepth - 1)) return true;
  return false;
}

/** Accepts only JSON bodies. Forms of other sites could send `text/plain`, which the framework accepts by default. */
export function acceptOnlyJson(http: FastifyInstance): void {
  const parse = http.getDefaultJsonParser('error', 'error');
  http.removeAllContentTypeParsers();
  http.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    void parse(request, body as string, (error, value: unknown) => {
      if (error) return done(new BadRequestError('body: is not JSON'));
      if (isDeeperThan(value, MAX_DEPTH))
        return done(new BadRequestError(`body: is nested deeper than ${MAX_DEPTH} levels`));
      return done(null, value);
    });
  });
}

/**
 * Returns the fields of a query string.
 * @throws BadRequestError for a repeated key, because parsers read it differently.
 */
export function parseQuery(query: unknown): Record<string, unknown> {
  const fields = query as Record<string, unknown>;
  for (const key in fields)
    if (Array.isArray(fields[key])) throw new BadRequestError(`${key.slice(0, 100)}: is given more than once`);
  return fields;
}
