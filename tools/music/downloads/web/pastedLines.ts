import type { ClipboardEvent } from 'react';

/**
 * What a field of one line holds after lines were pasted into it: with spaces between them, for the browser would join the links of two lines to one.
 * Undefined where the paste is the browser's own to do.
 */
export const pastedLines = (event: ClipboardEvent<HTMLInputElement>): string | undefined => {
  const text = event.clipboardData.getData('text/plain');
  if (!/[\r\n]/.test(text)) return undefined;
  event.preventDefault();
  const { value, selectionStart, selectionEnd } = event.currentTarget;
  const [start, end] = [selectionStart ?? value.length, selectionEnd ?? value.length];
  return `${value.slice(0, start)}${text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ')}${value.slice(end)}`;
};
