import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

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
export const createZip = (entries: AsyncIterable<ZipEntry>, modified: Temporal.Instant): Readable => {
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
};
