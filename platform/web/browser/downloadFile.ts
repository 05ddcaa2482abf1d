import { MINUTE_MS } from '#platform/contract/duration.ts';

const REVOKE_DELAY_MS = MINUTE_MS;

/** Revokes an address later, because a browser that asks where to save a file reads it only then. */
function revokeLater(address: string): void {
  setTimeout(() => URL.revokeObjectURL(address), REVOKE_DELAY_MS);
}

export function downloadFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  revokeLater(address);
}

/** Opens a text in a new tab as plain text, even if it contains HTML. */
export function openTextTab(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  window.open(address, '_blank', 'noopener');
  revokeLater(address);
}
