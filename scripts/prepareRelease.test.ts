import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { getReleaseNotes, prepareRelease, type ReleaseFiles } from './prepareRelease.ts';

const CHANGELOG = `# Changelog

All changes.

## Unreleased

### Added

- A clock

### Fixed

- A door

## 0.1.0 - 2026-01-02

- A house
`;

/** Formats as npm formats its files. */
function formatNpmJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function createFiles(changes: Partial<ReleaseFiles> = {}): ReleaseFiles {
  return {
    changelog: CHANGELOG,
    manifest: formatNpmJson({ name: 'house', version: '0.1.0', private: true }),
    lock: formatNpmJson({
      name: 'house',
      version: '0.1.0',
      lockfileVersion: 3,
      packages: {
        '': { name: 'house', version: '0.1.0', license: 'MIT' },
        'node_modules/door': { version: '0.1.0' },
      },
    }),
    ...changes,
  };
}

function readRootFile(name: string): string {
  return readFileSync(join(import.meta.dirname, '..', name), 'utf8');
}

/** Counts lines that differ at the same position; infinite if lines were added or removed. */
function countChangedLines(before: string, after: string): number {
  const lines = before.split('\n');
  const changedLines = after.split('\n');
  if (lines.length !== changedLines.length) return Number.POSITIVE_INFINITY;
  return lines.filter((line, index) => line !== changedLines[index]).length;
}

test('a release moves the unreleased changes under its version and date', () => {
  expect(prepareRelease(createFiles(), '0.2.0', '2026-03-04').changelog).toBe(`# Changelog

All changes.

## Unreleased

## 0.2.0 - 2026-03-04

### Added

- A clock

### Fixed

- A door

## 0.1.0 - 2026-01-02

- A house
`);
});

test('the first release needs no earlier section in the changelog', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n- A house\n';
  expect(prepareRelease(createFiles({ changelog }), '0.2.0', '2026-03-04').changelog).toBe(
    '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-03-04\n\n- A house\n',
  );
});

test('a release sets the version of the package, and of no dependency', () => {
  const { manifest, lock } = prepareRelease(createFiles(), '0.2.0', '2026-03-04');
  expect(manifest).toBe(formatNpmJson({ name: 'house', version: '0.2.0', private: true }));
  expect(JSON.parse(lock)).toEqual({
    name: 'house',
    version: '0.2.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'house', version: '0.2.0', license: 'MIT' },
      'node_modules/door': { version: '0.1.0' },
    },
  });
});

test('a release changes one line of package.json and two lines of package-lock.json', () => {
  const files = createFiles({ manifest: readRootFile('package.json'), lock: readRootFile('package-lock.json') });
  const released = prepareRelease(files, '999.0.0', '2026-03-04');
  expect(countChangedLines(files.manifest, released.manifest)).toBe(1);
  expect(countChangedLines(files.lock, released.lock)).toBe(2);
});

test.each(['0.1.1', '0.2.0', '0.10.0', '1.0.0'])('%s is newer than 0.1.0', (version) => {
  expect(() => prepareRelease(createFiles(), version, '2026-03-04')).not.toThrow();
});

test.each(['0.1.0', '0.0.9', '0.0.10'])('%s is refused, because it is not newer than 0.1.0', (version) => {
  expect(() => prepareRelease(createFiles(), version, '2026-03-04')).toThrow('is not newer than 0.1.0');
});

test.each(['', 'v0.2.0', '0.2', '0.2.0-beta', '01.2.3', ' 0.2.0'])('%j is not a version', (version) => {
  expect(() => prepareRelease(createFiles(), version, '2026-03-04')).toThrow('is not a version');
});

test.each(['# Changelog\n', '# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-01-02\n\n- A house\n'])(
  'a release without listed changes is refused (%j)',
  (changelog) => {
    expect(() => prepareRelease(createFiles({ changelog }), '0.2.0', '2026-03-04')).toThrow('lists no changes');
  },
);

test('release notes are the section of the version', () => {
  const { changelog } = prepareRelease(createFiles(), '0.2.0', '2026-03-04');
  expect(getReleaseNotes(changelog, '0.2.0')).toBe('### Added\n\n- A clock\n\n### Fixed\n\n- A door');
  expect(getReleaseNotes(changelog, '0.1.0')).toBe('- A house');
  expect(() => getReleaseNotes(changelog, '0.3.0')).toThrow('CHANGELOG.md has no section for 0.3.0');
});
