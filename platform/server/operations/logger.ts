import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';
import type { SecurityEvent } from '#platform/contract/security.ts';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';

type SecurityEventListener = (event: SecurityEvent, fields: Readonly<Record<string, unknown>>) => void;

/** By log, because that is what everybody who tells of an event has at hand; whatever its level, they are all heard. */
const securityEventListeners = new WeakMap<FastifyBaseLogger, SecurityEventListener>();

/** All security events pass here. What is kept of the fields are `account`, `device` and `address`. */
export function logSecurityEvent(log: FastifyBaseLogger, event: SecurityEvent, fields: Record<string, unknown>): void {
  log.warn({ event, ...fields }, event);
  securityEventListeners.get(log)?.(event, fields);
}

/** Has one hearer told of every security event of this log. */
export function onSecurityEvent(log: FastifyBaseLogger, hear: SecurityEventListener): void {
  return void securityEventListeners.set(log, hear);
}

const REDACTED = '[hidden]';
const SECRET_FIELDS = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'token',
  'password',
  'newPassword',
  'setupCode',
  'secret',
  'inputValue',
  'text',
  'q',
  'query',
  'message2',
  'clipmessage',
]);
/** Deeper than this nothing we log goes; what lies below is left out, so nothing hides there. */
const MAX_DEPTH = 6;

const TOKEN = /pg[ud]_[\w-]{16,}/g;
const redactTokens = (text: string): string => (text.includes('pg') ? text.replace(TOKEN, REDACTED) : text);

/** A program's error as the log keeps it. Fields that a driver hangs on (parameters, details) may hold what people typed: left out. */
const errorFields = (error: Error): Record<string, unknown> => ({
  type: error.name,
  message: redactTokens(error.message),
  stack: redactTokens(error.stack ?? ''),
  ...('code' in error ? { code: String(error.code) } : {}),
  ...(error.cause instanceof Error ? { cause: errorFields(error.cause) } : {}),
});

const redact = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return redactTokens(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return errorFields(value);
  if (depth === 0) return '[deeper]';
  if (Array.isArray(value)) return value.map((one) => redact(one, depth - 1));
  return redactFields(value as Record<string, unknown>, depth);
};

const redactFields = (fields: Record<string, unknown>, depth: number): Record<string, unknown> => {
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(fields))
    kept[name] = SECRET_FIELDS.has(name) ? REDACTED : redact(fields[name], depth - 1);
  return kept;
};

/** The program's output. Where its reader has gone (`npm start | head`), what is logged is lost and the server runs on. */
const standardOutput = (): DestinationStream => {
  const lines = pino.destination({ dest: 1, sync: false });
  const flush = lines.flushSync.bind(lines);
  // pino flushes at once what is fatal, and a throw out of the handler of uncaught errors is caught by that handler again, for ever.
  lines.flushSync = () => {
    try {
      flush();
    } catch {
      // Nobody is left to be told.
    }
  };
  return lines;
};

/**
 * JSON lines. Tokens, passwords, typed text and queries are hidden at every depth, whoever logs them;
 * the framework's own serializers, which write whole addresses, are not there.
 */
export function createLogger({
  level,
  to,
}: {
  readonly level: LogLevel;
  readonly to?: DestinationStream;
}): FastifyBaseLogger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => error, req: () => undefined, res: () => undefined },
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redactFields(fields, MAX_DEPTH),
      },
      hooks: { streamWrite: redactTokens },
    },
    to ?? standardOutput(),
  );
}
