/** Gives a file to the browser to be kept among the downloads. */
export const saveFile = (name: string, content: Blob): void => {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // A browser that asks where to keep it reads it only then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
};
