const PATIENCE_MS = 60_000;

/** A browser that asks where to keep a file, or opens a window for it, reads it only then. */
const forgetLater = (address: string): void => {
  setTimeout(() => URL.revokeObjectURL(address), PATIENCE_MS);
};

/** Gives a file to the browser to be kept among the downloads. */
export const saveFile = (name: string, content: Blob): void => {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  forgetLater(address);
};

/** Shows a text as a page of its own: plain text, whatever stands in it. */
export const showText = (text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  window.open(address, '_blank', 'noopener');
  forgetLater(address);
};
