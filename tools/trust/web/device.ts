/** Kinds of devices, which install certificates differently. */
export type Device = 'android' | 'apple' | 'computer';

/** Detects the device from a `User-Agent`. An iPad claims to be a Mac, but has touch points. */
export function detectDevice(userAgent: string, touchPoints: number): Device {
  if (/Android/.test(userAgent)) return 'android';
  if (/iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && touchPoints > 1)) return 'apple';
  return 'computer';
}
