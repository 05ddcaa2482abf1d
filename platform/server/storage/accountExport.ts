import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { StartedServerTool, ToolExport } from '../tool.ts';

/** A file in a zip. */
export interface ZipEntry {
  /** With `/` between folders. */
  readonly path: string;
  readonly content: AsyncIterable<string | Uint8Array>;
  /** Packed by its own format: stored as it is. */
  readonly isPacked?: boolean;
}

/**
 * A zip that is written while it is read: one entry is open at a time, and waits for the reader. An entry that fails ends the stream with
 * its error, a reader that leaves ends the entry.
 */
export function createZip(entries: AsyncIterable<ZipEntry>, modified: Temporal.Instant): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream;
  if (!(output instanceof Readable)) throw new Error('the zip gives no stream of ours');
  let open: Readable | undefined;
  let isLeft = false;
  const fill = async (): Promise<void> => {
    for await (const { path, content, isPacked = false } of entries) {
      if (isLeft) return;
      open = Readable.from(content, { objectMode: false });
      zip.addReadStream(open, path, {
        mtime: new Date(modified.epochMilliseconds),
        mode: 0o100600,
        compress: !isPacked,
      });
      await finished(open);
    }
    zip.end();
  };
  zip.on('error', (error: Error) => output.destroy(error));
  output.once('close', () => {
    isLeft = true;
    open?.destroy();
  });
  fill().catch((error: Error) => output.destroy(error));
  return output;
}

async function* nothing(): AsyncGenerator<never> {}

/** What each started tool, by its name, gives to the export of an account. */
export function listExports(started: ReadonlyMap<string, StartedServerTool>, account: number): readonly ToolExport[] {
  return [...started].flatMap(([tool, { exportOf, exportHolds, exportFiles }]) =>
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
}

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
