/** How loud a strip stands: `level` is whole, 0 to 100; a muted one keeps its level. */
export interface StripSetting {
  readonly level: number;
  readonly muted: boolean;
}

const PAGE = 10;

/** A slider moved to 0 mutes; any other move unmutes (specification 1, section 4). */
export function movedTo(level: number): StripSetting {
  return { level, muted: level === 0 };
}

/** The mute button toggles, only when the level is not 0 (specification 1, section 4): undefined where it does nothing. */
export function toggled({ level, muted }: StripSetting): StripSetting | undefined {
  return level === 0 ? undefined : { level, muted: !muted };
}

export function isSame(one: StripSetting, other: StripSetting): boolean {
  return one.level === other.level && one.muted === other.muted;
}

/** Where a key leads on a slider, the same in every browser and whichever way the slider lies (look.md section 5); undefined for other keys. */
export function steppedTo(key: string, level: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowUp: level + 1,
    ArrowRight: level + 1,
    ArrowDown: level - 1,
    ArrowLeft: level - 1,
    PageUp: level + PAGE,
    PageDown: level - PAGE,
    Home: 0,
    End: 100,
  };
  const to = steps[key];
  return to === undefined ? undefined : Math.min(100, Math.max(0, to));
}

/** What a screen reader says of a slider. */
export function spoken({ level, muted }: StripSetting): string {
  return `${level} percent${muted ? ', muted' : ''}`;
}
