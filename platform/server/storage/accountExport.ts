import type { StartedServerTool, ToolExport } from '../tool.ts';

async function* nothing(): AsyncGenerator<never> {}

/** What each started tool, by its name, gives to the export of an account. */
export const listExports = (started: ReadonlyMap<string, StartedServerTool>, account: number): readonly ToolExport[] =>
  [...started].flatMap(([tool, { exportOf, exportHolds, exportFiles }]) =>
    exportOf === undefined
      ? []
      : [
          {
            tool,
            description: exportHolds,
            data: () => exportOf(account),
            files: () => exportFiles?.(account) ?? nothing(),
          },
        ],
  );

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value);

const STEP = '  ';

async function* entriesOf(fields: Readonly<Record<string, unknown>>, indent: string): AsyncGenerator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    yield `${before}\n${indent}${STEP}${JSON.stringify(name)}: `;
    yield* streamPrettyJson(value, indent + STEP);
    before = ',';
  }
  yield before === '{' ? '{}' : `\n${indent}}`;
}

async function* itemsOf(items: AsyncIterable<unknown>, indent: string): AsyncGenerator<string> {
  let before = '[';
  for await (const item of items) {
    yield `${before}\n${indent}${STEP}`;
    yield* streamPrettyJson(item, indent + STEP);
    before = ',';
  }
  yield before === '[' ? '[]' : `\n${indent}]`;
}

/** A value as `JSON.stringify(value, undefined, 2)` writes it, piece by piece; an `AsyncIterable` in it (not in a list) is a list read as it is written. */
export async function* streamPrettyJson(value: unknown, indent = ''): AsyncGenerator<string> {
  if (isIterable(value)) yield* itemsOf(value, indent);
  else if (isObject(value)) yield* entriesOf(value, indent);
  // Without a text (undefined, a function) it is null, as in a list.
  else yield (JSON.stringify(value, undefined, STEP.length) ?? 'null').replaceAll('\n', `\n${indent}`);
}
