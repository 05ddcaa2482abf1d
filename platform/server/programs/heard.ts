import { StringDecoder } from 'node:string_decoder';

const MAX_LINE_LENGTH = 1024 * 1024;

/** What came from an output of a program. */
export interface OutputCollector {
  readonly append: (chunk: Buffer) => void;
  /** Nothing more comes: the last line may be without an end. */
  readonly end: () => void;
  readonly text: () => string;
}

/** Collects an output, or its last bytes, and tells of its lines. A line that is too long is cut. */
export const createOutputCollector = ({
  onLine,
  lastBytes = Infinity,
}: {
  readonly onLine?: ((line: string) => void) | undefined;
  readonly lastBytes?: number;
}): OutputCollector => {
  const decoder = new StringDecoder('utf8');
  const chunks: Buffer[] = [];
  let size = 0;
  let open = '';

  const tell = (text: string): void => {
    const lines = (open + text).split(/\r?\n/);
    open = (lines.pop() ?? '').slice(0, MAX_LINE_LENGTH);
    for (const line of lines) onLine?.(line.slice(0, MAX_LINE_LENGTH));
  };
  return {
    append: (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      for (let first = chunks[0]; first && size - first.length >= lastBytes; first = chunks[0]) {
        chunks.shift();
        size -= first.length;
      }
      if (onLine) tell(decoder.write(chunk));
    },
    end: () => {
      if (onLine) tell(decoder.end());
      if (open !== '') onLine?.(open);
    },
    text: () =>
      Buffer.concat(chunks)
        .subarray(-Math.min(lastBytes, size) || 0)
        .toString('utf8'),
  };
};
