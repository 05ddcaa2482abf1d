const LF = 0x0a;
const CR = 0x0d;
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Length of the fold (line end and one blank) that begins at `at`; 0 where there is none. */
const foldLength = (bytes: Uint8Array, at: number): number => {
  const newline = bytes[at] === CR ? at + 1 : at;
  const blank = bytes[newline + 1];
  return bytes[newline] === LF && (blank === 0x20 || blank === 0x09) ? newline + 2 - at : 0;
};

/** Takes out folds between the bytes of one character: RFC 5545 lets writers fold there, so bytes are unfolded before they are decoded. */
const joinCharacters = (bytes: Uint8Array): Uint8Array => {
  const joined = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const fold = foldLength(bytes, at);
    // No character begins with a continuation byte: behind a fold it belongs to the byte before.
    if (fold > 0 && (bytes[at - 1] ?? 0) >= 0x80 && isContinuation(bytes[at + fold])) at += fold;
    joined[length] = bytes[at] ?? 0;
    length += 1;
  }
  return joined.subarray(0, length);
};

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lossy = new TextDecoder('utf-8', { ignoreBOM: true });
const oldPrograms = new TextDecoder('windows-1252');

const strictly = (bytes: Uint8Array): string | undefined => {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
};

/** A line that is no UTF-8 as a whole: one with other characters of UTF-8 has a bad byte, any other is of an old program. */
const decodeLine = (line: Uint8Array): string => {
  const whole = strictly(line);
  if (whole !== undefined) return whole;
  const text = lossy.decode(line);
  return /[^\0-\x7f\ufffd]/.test(text) ? text : oldPrograms.decode(line);
};

const decodeLines = (bytes: Uint8Array): string => {
  const lines: string[] = [];
  for (let from = 0; from < bytes.length;) {
    const newline = bytes.indexOf(LF, from);
    const to = newline === -1 ? bytes.length : newline + 1;
    lines.push(decodeLine(bytes.subarray(from, to)));
    from = to;
  }
  return lines.join('');
};

/** UTF-16 by its mark at the beginning, or by the zeros of its first letter. */
const utf16Of = ([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : undefined;
};

/** Decodes an .ics file, its mark at the beginning with it. A byte that cannot be read damages its own line, never the others. */
export function decodeIcs(bytes: Uint8Array): string {
  const utf16 = bytes.length > 1 ? utf16Of(bytes) : undefined;
  if (utf16 !== undefined) return new TextDecoder(utf16, { ignoreBOM: true }).decode(bytes);
  return strictly(bytes) ?? decodeLines(joinCharacters(bytes));
}

/** The line end of old Macs before what begins a line; elsewhere it is a part of a text. */
const STRAY_LINE_END = /\r(?=[A-Z][A-Z\d-]{0,60}[:;]|$)/gi;

/** The text of an .ics file with line ends of today and without what no text may hold. */
export const textOf = (file: string | Uint8Array): string => {
  const text = (typeof file === 'string' ? file : decodeIcs(file)).replace(/^\uFEFF/, '').replaceAll('\0', '');
  if (!/\r(?!\n)/.test(text)) return text;
  return text.includes('\n')
    ? text.replaceAll(/\r+\n/g, '\r\n').replaceAll(STRAY_LINE_END, '\n')
    : text.replaceAll('\r', '\n');
};
