import { readFileSync } from 'node:fs';

const VERSION_FILE = '/System/Library/CoreServices/SystemVersion.plist';

/** Returns the version in macOS's own file, such as '15.3.1'; '' if there is none. */
export function parseSystemVersion(propertyList: string): string {
  return /<key>ProductVersion<\/key>\s*<string>([\d.]+)<\/string>/.exec(propertyList)?.[1] ?? '';
}

/** Returns the version of macOS; '' if it is unknown. */
export function readMacVersion(path = VERSION_FILE): string {
  try {
    return parseSystemVersion(readFileSync(path, 'utf8'));
  } catch {
    return '';
  }
}

/** Returns the first number of a version; 0 if it is unknown. */
export function getMajorVersion(version: string): number {
  return Number(version.split('.')[0] || 0);
}

/** Formats the system's name: 'macOS 15'. */
export function formatMacName(version: string): string {
  return version === '' ? 'macOS' : `macOS ${getMajorVersion(version)}`;
}
