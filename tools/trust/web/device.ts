/** What a certificate is installed on, each in its own way. */
export type Device = 'android' | 'apple' | 'computer';

/** The device behind a `User-Agent`. An iPad calls itself a Mac, but has fingers on it. */
export function deviceOf(userAgent: string, touchPoints: number): Device {
  if (/Android/.test(userAgent)) return 'android';
  if (/iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && touchPoints > 1)) return 'apple';
  return 'computer';
}
