/** Copies by a selection of its own: the way that plain http leaves (reliability.md section 3). */
const copyBySelection = (text: string): boolean => {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'unseen';
  // Inside an open dialog, because that keeps the focus in itself.
  (before?.closest('[role=dialog]') ?? document.body).append(field);
  field.select();
  // oxlint-disable-next-line typescript/no-deprecated -- nothing else copies without a secure context
  const done = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
};

/** Puts a text on the clipboard; false where the browser refused. */
export async function copyText(text: string): Promise<boolean> {
  // Without a secure context there is no clipboard at all, whatever the type says.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined) return copyBySelection(text);
  return clipboard.writeText(text).then(
    () => true,
    () => copyBySelection(text),
  );
}
