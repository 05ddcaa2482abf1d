const VERSION_PATTERN = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
const UNRELEASED_HEADING = '## Unreleased';

/** Contents of the files that a release changes. */
export interface ReleaseFiles {
  /** CHANGELOG.md. */
  readonly changelog: string;
  /** package.json. */
  readonly manifest: string;
  /** package-lock.json. */
  readonly lock: string;
}

interface PackageLock {
  readonly packages: Readonly<Record<string, object>>;
}

/** Line numbers of a section's text, without its heading. */
interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** A release can't be made. The message says why, and what to do. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError';
}

/**
 * Returns the files as the release commits them: the version is set, and the unreleased changes have its heading.
 * @param date day of the release, as YYYY-MM-DD.
 * @throws ReleaseError if the version is not newer than the current one, or nothing is listed as unreleased.
 */
export function prepareRelease(files: ReleaseFiles, version: string, date: string): ReleaseFiles {
  const currentVersion = getManifestVersion(files.manifest);
  if (!isNewerVersion(version, currentVersion))
    throw new ReleaseError(`Version ${version} is not newer than ${currentVersion}. Choose a higher one`);
  return {
    changelog: moveUnreleased(files.changelog, version, date),
    manifest: setManifestVersion(files.manifest, version),
    lock: setLockVersion(files.lock, version),
  };
}

/** Returns the text under the changelog's heading of a version. @throws ReleaseError if there is no such heading. */
export function getReleaseNotes(changelog: string, version: string): string {
  const lines = changelog.split('\n');
  const section = findSection(lines, (line) => line.startsWith(`## ${version} - `));
  if (!section) throw new ReleaseError(`CHANGELOG.md has no section for ${version}. Run npm run release -- ${version}`);
  return lines.slice(section.start, section.end).join('\n').trim();
}

export function getManifestVersion(manifest: string): string {
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

function isNewerVersion(version: string, currentVersion: string): boolean {
  const parts = parseVersion(version);
  const currentParts = parseVersion(currentVersion);
  const index = parts.findIndex((part, position) => part !== currentParts[position]);
  return (parts[index] ?? 0) > (currentParts[index] ?? 0);
}

function parseVersion(text: string): readonly number[] {
  const match = VERSION_PATTERN.exec(text);
  if (!match) throw new ReleaseError(`${text} is not a version. Use three numbers, such as 1.2.3`);
  return match.slice(1).map(Number);
}

/** Puts the unreleased changes under the heading of the release, and leaves an empty section for the next ones. */
function moveUnreleased(changelog: string, version: string, date: string): string {
  const lines = changelog.split('\n');
  const section = findSection(lines, (line) => line === UNRELEASED_HEADING);
  const notes = section ? lines.slice(section.start, section.end).join('\n').trim() : '';
  if (!section || notes === '')
    throw new ReleaseError(`CHANGELOG.md lists no changes under '${UNRELEASED_HEADING}'. Add them first`);
  const released = ['', `## ${version} - ${date}`, '', notes, ''];
  return [...lines.slice(0, section.start), ...released, ...lines.slice(section.end)].join('\n');
}

/** Finds a section of the second level, which ends at the next heading of that level. */
function findSection(lines: readonly string[], isHeading: (line: string) => boolean): LineRange | undefined {
  const heading = lines.findIndex(isHeading);
  if (heading === -1) return undefined;
  const start = heading + 1;
  const length = lines.slice(start).findIndex((line) => line.startsWith('## '));
  return { start, end: length === -1 ? lines.length : start + length };
}

function setManifestVersion(manifest: string, version: string): string {
  return formatJson({ ...(JSON.parse(manifest) as object), version });
}

/** Sets both versions of the lock file: its own, and the one of the package at the root. */
function setLockVersion(lock: string, version: string): string {
  const parsed = JSON.parse(lock) as PackageLock;
  const rootPackage = { ...parsed.packages[''], version };
  return formatJson({ ...parsed, version, packages: { ...parsed.packages, '': rootPackage } });
}

/** Formats as npm does, so that only the versions change. */
function formatJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
