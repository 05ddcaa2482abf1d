import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';
import type { SecurityEvent } from '#platform/contract/security.ts';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';

type SecurityEventListener = (event: SecurityEvent, fields: Readonly<Record<string, unknown>>) => void;

/** Listeners by log, because every caller has a log. They get events of all levels. */
const securityEventListeners = new WeakMap<FastifyBaseLogger, SecurityEventListener>();

/** Logs a security event. The journal stores `account`, `device` and `address` of its fields. */
export function logSecurityEvent(log: FastifyBaseLogger, event: SecurityEvent, fields: Record<string, unknown>): void {
  log.warn({ event, ...fields }, event);
  securityEventListeners.get(log)?.(event, fields);
}

/** Registers the only listener for security events of this log. */
export function onSecurityEvent(log: FastifyBaseLogger, listener: SecurityEventListener): void {
  securityEventListeners.set(log, listener);
}

const REDACTED = '[hidden]';
/** Secret on every server. Tools add the fields that contain texts of users (`ServerTool.secretFields`). */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'set-cookie',
  'token',
  'password',
  'newPassword',
  'setupCode',
  'secret',
  'ticket',
  'oneTimeCode',
  'recoveryCodes',
  'text',
  'q',
  'query',
];
/** Nothing that we log is nested deeper. Deeper values are omitted, so that no secret is in them. */
const MAX_DEPTH = 6;

const TOKEN_PATTERN = /pg[ud]_[\w-]{16,}/g;
const redactTokens = (text: string): string => (text.includes('pg') ? text.replace(TOKEN_PATTERN, REDACTED) : text);

/** Converts an error for the log. Fields of drivers (parameters, details) may contain user input, and are omitted. */
const toErrorFields = (error: Error): Record<string, unknown> => ({
  type: error.name,
  message: redactTokens(error.message),
  stack: redactTokens(error.stack ?? ''),
  ...('code' in error ? { code: String(error.code) } : {}),
  ...(error.cause instanceof Error ? { cause: toErrorFields(error.cause) } : {}),
});

/** Creates a function that redacts the secret fields of an object, at every depth. */
function createRedactor(secretFields: ReadonlySet<string>) {
  function redact(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return redactTokens(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Error) return toErrorFields(value);
    if (depth === 0) return '[deeper]';
    if (Array.isArray(value)) return value.map((item) => redact(item, depth - 1));
    return redactFields(value as Record<string, unknown>, depth);
  }
  function redactFields(fields: Record<string, unknown>, depth: number): Record<string, unknown> {
    const redacted: Record<string, unknown> = {};
    for (const name of Object.keys(fields))
      redacted[name] = secretFields.has(name) ? REDACTED : redact(fields[name], depth - 1);
    return redacted;
  }
  return redactFields;
}

/** Opens standard output. If its reader has gone (`npm start | head`), log lines are lost and the server continues. */
function openStandardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false });
  const flush = output.flushSync.bind(output);
  // pino flushes fatal lines immediately. An error in the uncaught error handler would call that handler again,
  // endlessly.
  output.flushSync = () => {
    try {
      flush();
    } catch {
      // No one is left to read it.
    }
  };
  return output;
}

/**
 * Creates a log of JSON lines, in which tokens, passwords, user input and queries are redacted at every depth.
 * The framework's serializers, which log whole addresses, are replaced.
 */
export function createLogger({
  level,
  secretFields = [],
  destination,
}: {
  readonly level: LogLevel;
  /** Names of further fields to redact. */
  readonly secretFields?: readonly string[];
  readonly destination?: DestinationStream;
}): FastifyBaseLogger {
  const redactFields = createRedactor(new Set([...SECRET_FIELDS, ...secretFields]));
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => error, req: () => undefined, res: () => undefined },
      formatters: { level: (label) => ({ level: label }), log: (fields) => redactFields(fields, MAX_DEPTH) },
      hooks: { streamWrite: redactTokens },
    },
    destination ?? openStandardOutput(),
  );
}
