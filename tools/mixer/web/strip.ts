import { isSame, type StripSetting } from './faderSetting.ts';

/**
 * One strip's level, moved here and elsewhere: while it is held nothing from outside moves it, what is set here is shown at once, and
 * afterwards the level set last is shown, whoever set it (contract.md section 4). Turns count what happens on this page.
 */
export interface Strip {
  /** As it stands on the screen. */
  readonly shown: StripSetting;
  /** As the computer said last. */
  readonly truth: StripSetting;
  /** A finger or a key is on it. */
  readonly held: boolean;
  /** The computer has it no more, while it is held. */
  readonly gone: boolean;
  /** What was set here and may still come back: such a value is an echo, and moves nothing before the strip has settled. */
  readonly own: readonly StripSetting[];
  /** Turns at which it was set here last, and at which the computer spoke of it last. */
  readonly setAt: number;
  readonly heardAt: number;
}

const isOwn = ({ own }: Strip, setting: StripSetting): boolean => own.some((each) => isSame(each, setting));

export const newStrip = (setting: StripSetting, turn: number): Strip => ({
  shown: setting,
  truth: setting,
  held: false,
  gone: false,
  own: [],
  setAt: 0,
  heardAt: turn,
});

export const afterSetting = (strip: Strip, setting: StripSetting, turn: number): Strip => ({
  ...strip,
  shown: setting,
  own: isOwn(strip, setting) ? strip.own : [...strip.own, setting],
  setAt: turn,
});

export const afterHearing = (strip: Strip, setting: StripSetting, turn: number): Strip => {
  const heard = { ...strip, truth: setting, heardAt: turn, gone: false };
  return strip.held || isOwn(strip, setting) ? heard : { ...heard, shown: setting, own: [] };
};

/** No echo comes any more: what the computer said since the last setting is what holds. */
export const afterSettling = (strip: Strip): Strip => ({
  ...strip,
  own: [],
  shown: strip.heardAt > strip.setAt ? strip.truth : strip.shown,
});

export const afterRelease = (strip: Strip): Strip => {
  const released = { ...strip, held: false };
  // What somebody else set while it was held, and not moved since, is later than what was set here.
  return strip.heardAt > strip.setAt && !isOwn(strip, strip.truth) ? afterSettling(released) : released;
};

/** Nothing of what was set here is on its way any more, and nothing will be sent. */
export const afterGivingUp = (strip: Strip): Strip => ({ ...strip, held: false, own: [], shown: strip.truth });

export const isSettled = ({ own }: Strip): boolean => own.length === 0;
