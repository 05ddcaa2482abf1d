import type { FastifyInstance } from 'fastify';

export const MAX_BODY_BYTES = 64 * 1024;
const MAX_DEPTH = 32;

/** What a caller sent is not of the call's shape: answered with 400 and this sentence. */
export class BadRequestError extends Error {
  override readonly name = 'BadRequest';
  readonly statusCode = 400;
}

/** Whether a value has more than `left` levels of objects and lists in it. */
const isDeeperThan = (value: unknown, left: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (left === 0) return true;
  for (const key in value) if (isDeeperThan((value as Record<string, unknown>)[key], left - 1)) return true;
  return false;
};

/** Bodies are JSON and nothing else: a form of another site could send the `text/plain` that the framework takes by default. */
export function acceptOnlyJson(http: FastifyInstance): void {
  const parse = http.getDefaultJsonParser('error', 'error');
  http.removeAllContentTypeParsers();
  http.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    void parse(request, body as string, (error, read: unknown) => {
      if (error) return done(new BadRequestError('body: not JSON'));
      if (isDeeperThan(read, MAX_DEPTH)) return done(new BadRequestError(`body: nested deeper than ${MAX_DEPTH}`));
      return done(null, read);
    });
  });
}

/** Fields of a query string. @throws BadRequest for a key given twice: two readers could take different ones. */
export function parseQuery(query: unknown): Record<string, unknown> {
  const fields = query as Record<string, unknown>;
  for (const key in fields)
    if (Array.isArray(fields[key])) throw new BadRequestError(`${key.slice(0, 100)}: given more than once`);
  return fields;
}
