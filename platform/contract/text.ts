/** A text as both databases keep it: neither keeps U+0000 and halves of a surrogate pair. */
export const replaceUnstorable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}');
