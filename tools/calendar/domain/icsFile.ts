/** Bytes of a file as a text. UTF-8 and UTF-16 are told apart by the mark at the beginning; what is no UTF-8 was written by old programs, in their code page. */
const decoded = (bytes: Uint8Array): string => {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
};

/** The text of an .ics file with line ends of today and without what no text may hold. */
export const textOf = (file: string | Uint8Array): string => {
  const text = (typeof file === 'string' ? file : decoded(file)).replace(/^\uFEFF/, '').replaceAll('\0', '');
  return text.includes('\n') ? text : text.replaceAll('\r', '\n');
};
