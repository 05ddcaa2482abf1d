// Encodes `NOTIFYICONDATAW`, as on 64-bit Windows.

export const NOTIFY_ICON_BYTES = 976;
const FLAG = { icon: 2, tip: 4, balloon: 0x10 } as const;
const TIP_CHARACTERS = 128;
const TEXT_CHARACTERS = 256;
const TITLE_CHARACTERS = 64;
const OFFSET = { window: 8, number: 16, flags: 20, icon: 32, tip: 40, text: 304, title: 820 } as const;

/** An icon in the notification area, with a balloon. */
export interface NotifyIcon {
  readonly window: bigint;
  readonly icon: bigint;
  readonly title: string;
  readonly text: string;
}

/** Cuts a text between characters, so that it fits into `maxUnits` UTF-16 units with a zero. */
export function fitText(text: string, maxUnits: number): string {
  if (text.length < maxUnits) return text;
  let end = 0;
  for (const character of text) {
    if (end + character.length > maxUnits - 2) break;
    end += character.length;
  }
  return `${text.slice(0, end)}…`;
}

export function encodeNotifyIcon({ window, icon, title, text }: NotifyIcon): Buffer {
  const data = Buffer.alloc(NOTIFY_ICON_BYTES);
  data.writeUInt32LE(NOTIFY_ICON_BYTES, 0);
  data.writeBigUInt64LE(window, OFFSET.window);
  data.writeUInt32LE(1, OFFSET.number);
  data.writeUInt32LE(FLAG.icon | FLAG.tip | FLAG.balloon, OFFSET.flags);
  data.writeBigUInt64LE(icon, OFFSET.icon);
  data.write(fitText('Pegboard', TIP_CHARACTERS), OFFSET.tip, 'utf16le');
  data.write(fitText(text, TEXT_CHARACTERS), OFFSET.text, 'utf16le');
  data.write(fitText(title, TITLE_CHARACTERS), OFFSET.title, 'utf16le');
  return data;
}
