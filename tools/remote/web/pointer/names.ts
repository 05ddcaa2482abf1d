/** Formats 'Firefox', 'Firefox and mpv' or 'Firefox, mpv and VLC'. */
export function formatNames(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
