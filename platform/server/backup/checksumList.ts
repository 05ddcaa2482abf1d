// Lists of checksums in the format of `sha256sum`, so that `sha256sum -c` can check a backup, too.

/** A file with its SHA-256 in hexadecimal digits. Its path is relative, with slashes. */
export interface FileDigest {
  readonly path: string;
  readonly sha256: string;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };
const UNESCAPES: Readonly<Record<string, string>> = { '\\\\': '\\', '\\n': '\n', '\\r': '\r' };
const LINE_PATTERN = /^(\\?)([\da-f]{64}) {2}(.+)$/s;

/** Formats a line. One that begins with a backslash has an escaped path. */
export function formatChecksumLine({ path, sha256 }: FileDigest): string {
  const escaped = path.replaceAll(/[\\\n\r]/g, (character) => ESCAPES[character] ?? character);
  return `${escaped === path ? '' : '\\'}${sha256}  ${escaped}\n`;
}

/** Parses a list. @throws Error if a line is not one of a list. */
export function parseChecksumList(text: string): readonly FileDigest[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, escape, sha256, path] = LINE_PATTERN.exec(line) ?? [];
      if (sha256 === undefined || path === undefined) throw new Error('the list of checksums is damaged');
      return { sha256, path: escape ? path.replaceAll(/\\[\\nr]/g, (pair) => UNESCAPES[pair] ?? pair) : path };
    });
}
