/** The setting of a strip: `level` is a whole number from 0 to 100, which muting does not change. */
export interface StripSetting {
  readonly level: number;
  readonly muted: boolean;
}

const PAGE = 10;

/** Moving a slider to 0 mutes, any other move unmutes (docs/specification/mixer.md section 4). */
export function movedTo(level: number): StripSetting {
  return { level, muted: level === 0 };
}

/**
 * The mute button toggles only if the level is not 0 (docs/specification/mixer.md section 4); otherwise returns
 * undefined.
 */
export function toggled({ level, muted }: StripSetting): StripSetting | undefined {
  return level === 0 ? undefined : { level, muted: !muted };
}

export function isSame(one: StripSetting, other: StripSetting): boolean {
  return one.level === other.level && one.muted === other.muted;
}

/**
 * Returns the level after a key press on a slider, equal in all browsers and orientations; undefined for other keys
 * (docs/design/appearance.md section 7.3).
 */
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

/** Formats a setting for screen readers. */
export function spoken({ level, muted }: StripSetting): string {
  return `${level} percent${muted ? ', muted' : ''}`;
}
