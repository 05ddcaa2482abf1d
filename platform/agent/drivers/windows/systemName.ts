/** First build of Windows 11. Its own name in the registry still says Windows 10. */
const FIRST_BUILD_OF_11 = 22_000;

/**
 * Returns the name of the system for people: 'Windows 11 Pro'.
 * @param version the name that the system gives itself, such as 'Windows 10 Pro'.
 * @param release its number, such as '10.0.22631'.
 */
export function formatWindowsName(version: string, release: string): string {
  const build = Number(/^10\.0\.(\d+)/.exec(release)?.[1]);
  if (build >= FIRST_BUILD_OF_11) return version.replace(/^Windows 10\b/, 'Windows 11');
  return version.startsWith('Windows') ? version : `Windows ${release}`;
}
