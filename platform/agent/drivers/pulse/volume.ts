import { FULL_VOLUME } from './pulseConnection.ts';

/** One number per channel, 0 to 65536 for 0 to 100 %, and above. */
export type ChannelVolumes = readonly number[];

const loudest = (channels: ChannelVolumes): number => Math.max(0, ...channels);

/** 0 to 100, whole. What stands above 100 shows 100; what can be heard at all shows 1. */
export const toLevel = (channels: ChannelVolumes): number => {
  const most = loudest(channels);
  return most === 0 ? 0 : Math.min(100, Math.max(1, Math.round((most * 100) / FULL_VOLUME)));
};

/** Each channel's share of the loudest; undefined in silence, where nothing is known of it. */
export const getBalance = (channels: ChannelVolumes): ChannelVolumes | undefined => {
  const most = loudest(channels);
  return most === 0 ? undefined : channels.map((one) => one / most);
};

/** The channels at this level, with the balance kept. What stands above 100 % stays there when it shall be 100. */
export const setLevel = (
  channels: ChannelVolumes,
  balance: ChannelVolumes | undefined,
  level: number,
): ChannelVolumes => {
  if (level === 100 && loudest(channels) > FULL_VOLUME) return channels;
  const most = (level * FULL_VOLUME) / 100;
  return channels.map((_, at) => Math.round(most * (balance?.[at] ?? 1)));
};

/** The same but for rounding: PipeWire counts in other numbers inside. */
export const isSameVolume = (one: ChannelVolumes, other: ChannelVolumes): boolean =>
  one.length === other.length && one.every((channel, at) => Math.abs(channel - (other[at] ?? Infinity)) <= 2);
