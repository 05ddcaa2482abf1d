const REVOKE_DELAY_MS = 60_000;

/** A browser that asks where to keep a file, or opens a window for it, reads it only then. */
const revokeLater = (address: string): void => {
  setTimeout(() => URL.revokeObjectURL(address), REVOKE_DELAY_MS);
};

/** Gives a file to the browser to be kept among the downloads. */
export function downloadFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  revokeLater(address);
}

/** Shows a text as a page of its own: plain text, whatever stands in it. */
export function openTextTab(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  window.open(address, '_blank', 'noopener');
  revokeLater(address);
}
