import { globSync, readFileSync } from 'node:fs';
import { Visitor, parseSync } from 'vite';
import { expect, test } from 'vitest';
import { SECURITY_EVENTS } from '#platform/contract/security.ts';

const SOURCES = globSync('{apps,platform,tools,scripts}/**/*.{ts,tsx}', {
  exclude: ['apps/*/dist/**', '**/*.test.ts', '**/*.e2e.ts'],
});
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug'];
const LOG_CALL = /\blog(?:\.(?:fatal|error|warn|info|debug)|\[)/;
const EVENT_PATTERN = /^[a-z][a-z_]*(?:\.[a-z][a-z_]*)+$/;
/** Logs the events of `SECURITY_EVENTS`. */
const SECURITY_LOG = 'platform/server/operations/logger.ts';
/** Is declared for rules of other programs, and never logged. */
const RESERVED = 'id.foreign';

interface LogEvent {
  readonly levels: ReadonlySet<string>;
  readonly fields: ReadonlySet<string>;
}

interface LogCall {
  readonly place: string;
  readonly event: string;
  readonly levels: readonly string[];
  readonly fields: readonly string[];
}

const listQuoted = (text: string): readonly string[] => [...text.matchAll(/'([^']*)'/g)].map(([, word = '']) => word);

/** Finds the calls `log.<level>(fields, event)` of a source. The key is the event, or the code that computes it. */
function findLogCalls(path: string): readonly LogCall[] {
  const text = readFileSync(path, 'utf8');
  if (!LOG_CALL.test(text)) return [];
  const calls: LogCall[] = [];
  new Visitor({
    CallExpression: ({ callee, arguments: args, start }) => {
      if (callee.type !== 'MemberExpression' || !/\blog$/.test(text.slice(callee.object.start, callee.object.end)))
        return;
      const { computed, property } = callee;
      const level = text.slice(property.start, property.end);
      const levels = computed ? listQuoted(level) : [level];
      const [fields, key = fields] = args;
      if (key === undefined || !levels.some((one) => LEVELS.includes(one))) return;
      calls.push({
        place: `${path}:${text.slice(0, start).split('\n').length}`,
        event: key.type === 'Literal' ? String(key.value) : text.slice(key.start, key.end),
        levels,
        fields:
          fields?.type === 'ObjectExpression'
            ? fields.properties.map((field) =>
                field.type === 'Property' ? text.slice(field.key.start, field.key.end) : '…',
              )
            : [],
      });
    },
  }).visit(parseSync(path, text).program);
  return calls;
}

/** The rows of docs/logging.md whose first cell is an event. */
function readDocument(): ReadonlyMap<string, LogEvent> {
  const rows = [...readFileSync('docs/logging.md', 'utf8').matchAll(/^\| `([^`]+)` +\| ([^|]*)\| ([^|]*)\|/gm)].filter(
    ([, event = '']) => EVENT_PATTERN.test(event),
  );
  return new Map(
    rows.map(([, event = '', levels = '', fields = '']) => [
      event,
      {
        levels: new Set(levels.trim().split(', ')),
        fields: new Set([...fields.matchAll(/`([^`]+)`/g)].map(([, field = '']) => field)),
      },
    ]),
  );
}

const calls = SOURCES.filter((path) => path !== SECURITY_LOG).flatMap(findLogCalls);

test('the key of each log line is a dotted event', () => {
  expect(calls.length).toBeGreaterThan(90);
  expect(calls.filter(({ event }) => !EVENT_PATTERN.test(event))).toEqual([]);
});

test('docs/logging.md lists each event with its levels and fields, and no other event', () => {
  const events = new Map<string, { readonly levels: Set<string>; readonly fields: Set<string> }>();
  for (const { event, levels, fields } of calls) {
    const entry = events.get(event) ?? { levels: new Set(), fields: new Set() };
    events.set(event, entry);
    for (const level of levels) entry.levels.add(level);
    for (const field of fields) entry.fields.add(field);
  }
  const documented = readDocument();
  const security = SECURITY_EVENTS.filter((event) => event !== RESERVED);
  expect(security.filter((event) => !documented.get(event)?.levels.has('warn'))).toEqual([]);
  expect(Object.fromEntries([...documented].filter(([event]) => !security.some((one) => one === event)))).toEqual(
    Object.fromEntries(events),
  );
});
