import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { StartedServerTool, ToolExport, ToolImport } from '../tool.ts';

/** A file in a zip. */
export interface ZipEntry {
  /** With `/` between folders. */
  readonly path: string;
  readonly content: AsyncIterable<string | Uint8Array>;
  /** Whether the format is already compressed, so that the zip only stores it. */
  readonly isPacked?: boolean;
}

/**
 * Creates a zip that is written while it is read, one entry at a time.
 * A failing entry ends the stream with its error; a reader that stops ends the entry.
 */
export function createZip(entries: AsyncIterable<ZipEntry>, modified: Temporal.Instant): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream;
  if (!(output instanceof Readable)) throw new Error('the zip has no readable stream');
  let currentContent: Readable | undefined;
  let isReaderClosed = false;
  async function writeEntries(): Promise<void> {
    for await (const { path, content, isPacked = false } of entries) {
      if (isReaderClosed) return;
      currentContent = Readable.from(content, { objectMode: false });
      zip.addReadStream(currentContent, path, {
        mtime: new Date(modified.epochMilliseconds),
        mode: 0o100600,
        compress: !isPacked,
      });
      await finished(currentContent);
    }
    zip.end();
  }
  zip.on('error', (error: Error) => output.destroy(error));
  output.once('close', () => {
    isReaderClosed = true;
    currentContent?.destroy();
  });
  writeEntries().catch((error: Error) => output.destroy(error));
  return output;
}

async function* yieldNoFiles(): AsyncGenerator<never> {}

/** Lists what each started tool adds to an account's export. */
export function listExports(
  startedTools: ReadonlyMap<string, StartedServerTool>,
  account: number,
): readonly ToolExport[] {
  return [...startedTools].flatMap(([tool, { exportAccount, exportDescription, exportFiles }]) =>
    exportAccount === undefined
      ? []
      : [
          {
            tool,
            description: exportDescription,
            data: () => exportAccount(account),
            files: () => exportFiles?.(account) ?? yieldNoFiles(),
          },
        ],
  );
}

/** Lists the started tools that can import their part of an export. */
export function listImports(startedTools: ReadonlyMap<string, StartedServerTool>): readonly ToolImport[] {
  return [...startedTools].flatMap(([tool, { importAccount }]) =>
    importAccount === undefined ? [] : [{ tool, ...importAccount }],
  );
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value);

const INDENT = '  ';

async function* streamFields(fields: Readonly<Record<string, unknown>>, indent: string): AsyncGenerator<string> {
  let separator = '{';
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    yield `${separator}\n${indent}${INDENT}${JSON.stringify(name)}: `;
    yield* streamPrettyJson(value, indent + INDENT);
    separator = ',';
  }
  yield separator === '{' ? '{}' : `\n${indent}}`;
}

async function* streamItems(items: AsyncIterable<unknown>, indent: string): AsyncGenerator<string> {
  let separator = '[';
  for await (const item of items) {
    yield `${separator}\n${indent}${INDENT}`;
    yield* streamPrettyJson(item, indent + INDENT);
    separator = ',';
  }
  yield separator === '[' ? '[]' : `\n${indent}]`;
}

/**
 * Serializes like `JSON.stringify(value, undefined, 2)`, in chunks. An `AsyncIterable` outside arrays becomes an array
 * that is read meanwhile.
 */
export async function* streamPrettyJson(value: unknown, indent = ''): AsyncGenerator<string> {
  if (isAsyncIterable(value)) yield* streamItems(value, indent);
  else if (isObject(value)) yield* streamFields(value, indent);
  // Values without JSON (undefined, functions) become null, as in an array.
  else yield (JSON.stringify(value, undefined, INDENT.length) ?? 'null').replaceAll('\n', `\n${indent}`);
}
