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
const named = (known: readonly (readonly [RegExp, string])[], userAgent: string): string | undefined =>
  known.find(([pattern]) => pattern.test(userAgent))?.[1];

/** A `User-Agent` header as people call it: 'Firefox on Linux'; what is no browser keeps its own first word. */
export function describeBrowser(userAgent: string): string {
  const browser = named(browsers, userAgent) ?? (userAgent.split(/[ /]/)[0] || 'Unknown browser');
  const system = named(systems, userAgent);
  return system === undefined ? browser : `${browser} on ${system}`;
}

export function isPhoneBrowser(userAgent: string): boolean {
  return /Android|iPhone|iPad|Mobile/.test(userAgent);
}
