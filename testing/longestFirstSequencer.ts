import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take minutes. If one of them started last, one worker would run it while the others are idle. */
const LONG = [
  'testing/pages/every-page.e2e.ts',
  'testing/security/fuzz.test.ts',
  'testing/security/hostile-text.e2e.ts',
  'tools/music/downloads/server/downloads.test.ts',
  'apps/agent/agent.test.ts',
  'tools/timer/web/timer.e2e.ts',
  'tools/messages/web/messages.e2e.ts',
  'tools/music/downloads/server/faults.test.ts',
  'tools/paste/web/paste.e2e.ts',
  'tools/shopping/lists/web/edit.e2e.ts',
  'tools/shopping/lists/web/planner.e2e.ts',
  'tools/remote/web/typing/dashboard.e2e.ts',
  'testing/sync/sync.test.ts',
  'tools/screentime/agent/real.test.ts',
  'tools/gallery/server/killed.test.ts',
  'tools/gallery/server/gallery.test.ts',
  'platform/server/media/songInspection.test.ts',
  'platform/server/media/writeTags.test.ts',
  'tools/music/player/web/playedSound.e2e.ts',
];

function getRank({ moduleId }: TestSpecification): number {
  const place = LONG.findIndex((path) => moduleId.endsWith(path));
  return place === -1 ? LONG.length : place;
}

/** Runs the longest files first, the others in the usual order. A class, as the runner requires one. */
export class LongestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not the method of an array
    return (await super.sort(files)).toSorted((a, b) => getRank(a) - getRank(b));
  }
}
