/** What a player said that it begins to play. */
interface NowPlayingEntry {
  readonly account: number;
  /** Of its app password. */
  readonly id: number;
  readonly song: number;
  readonly player: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

const NOW_PLAYING_TTL_MS = 10 * 60_000;

/** What is played at this moment, for ten minutes each: known to this server alone, until it ends. */
export const createNowPlaying = (now: () => Temporal.Instant) => {
  /** By app password. */
  const all = new Map<number, NowPlayingEntry>();
  const isOver = ({ since }: NowPlayingEntry): boolean => since <= now().epochMilliseconds - NOW_PLAYING_TTL_MS;
  return {
    begins: (playing: Omit<NowPlayingEntry, 'since'>): void => {
      for (const [id, one] of all) if (isOver(one)) all.delete(id);
      all.set(playing.id, { ...playing, since: now().epochMilliseconds });
    },
    of: (account: number): readonly NowPlayingEntry[] =>
      [...all.values()].filter((one) => one.account === account && !isOver(one)),
  };
};
export type NowPlaying = ReturnType<typeof createNowPlaying>;
