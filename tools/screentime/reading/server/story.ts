import type { Status } from '../../contract/limits.ts';
import { within, type SecondRange } from '../../usage/domain/track.ts';
import { wireName } from '../../usage/domain/wireName.ts';
import type { TitleSpan } from '../../usage/server/store/titleStore.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';

/** A stretch as people are shown it; seconds since the epoch. */
export interface WireStoryInterval extends SecondRange {
  readonly device: number;
  readonly application: string;
  readonly status: Status;
  readonly title?: string;
}

/** A stretch in focus, cut where its title changed. Titles are in order of time. */
const withTitles = (stretch: WireStoryInterval, titles: readonly TitleSpan[]): readonly WireStoryInterval[] => {
  const told: WireStoryInterval[] = [];
  let { from } = stretch;
  for (const { title, from: begins, until: ends } of titles) {
    const [part] = within([{ from: begins, until: ends }], { from, until: stretch.until });
    if (!part) continue;
    if (part.from > from) told.push({ ...stretch, from, until: part.from });
    told.push({ ...stretch, ...part, title });
    from = part.until;
  }
  return from < stretch.until ? [...told, { ...stretch, from }] : told;
};

/** Everything between two seconds, in order of time. */
export const createStory =
  ({ segments, applications, titles }: UsageStore) =>
  async (
    account: number,
    asked: SecondRange & { readonly device: number | undefined },
  ): Promise<readonly WireStoryInterval[]> => {
    const known = Map.groupBy(
      await titles.between(account, asked),
      ({ device, application }) => `${device} ${application}`,
    );
    const found = await segments.between(account, asked);
    const names = new Map((await applications.list(account)).map(({ id, name }) => [id, wireName(name)]));
    const told = found.flatMap(({ device, tracks }) =>
      tracks.flatMap(({ application, status, spans }) => {
        const own = status === 'on' ? (known.get(`${device} ${application}`) ?? []) : [];
        return spans.flatMap((span) =>
          withTitles({ device, application: names.get(application) ?? '', status, ...span }, own),
        );
      }),
    );
    return told.toSorted((one, other) => one.from - other.from);
  };
