/** What a player said that it begins to play. */
interface Playing {
  readonly account: number;
  /** Of its app password. */
  readonly id: number;
  readonly song: number;
  readonly player: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

const SHOWN_MS = 10 * 60_000;

/** What is played at this moment, for ten minutes each: known to this server alone, until it ends. */
export const makeNowPlaying = (now: () => Temporal.Instant) => {
  /** By app password. */
  const all = new Map<number, Playing>();
  const isOver = ({ since }: Playing): boolean => since <= now().epochMilliseconds - SHOWN_MS;
  return {
    begins: (playing: Omit<Playing, 'since'>): void => {
      for (const [id, one] of all) if (isOver(one)) all.delete(id);
      all.set(playing.id, { ...playing, since: now().epochMilliseconds });
    },
    of: (account: number): readonly Playing[] =>
      [...all.values()].filter((one) => one.account === account && !isOver(one)),
  };
};
export type NowPlaying = ReturnType<typeof makeNowPlaying>;
