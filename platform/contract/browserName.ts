const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/HeadlessChrome\/|Chromium\//, 'Chromium'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
];
const findName = (patterns: readonly (readonly [RegExp, string])[], userAgent: string): string | undefined =>
  patterns.find(([pattern]) => pattern.test(userAgent))?.[1];

/**
 * Describes a `User-Agent` header for people, such as 'Firefox on Linux'. Programs that are not browsers are called by
 * their first word.
 */
export function describeBrowser(userAgent: string): string {
  const browser = findName(browsers, userAgent) ?? (userAgent.split(/[ /]/)[0] || 'Unknown browser');
  const system = findName(systems, userAgent);
  return system === undefined ? browser : `${browser} on ${system}`;
}

export function isPhoneBrowser(userAgent: string): boolean {
  return /Android|iPhone|iPad|Mobile/.test(userAgent);
}
