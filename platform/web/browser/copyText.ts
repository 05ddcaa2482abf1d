/** Copies with a selection in a hidden field, the only way over plain HTTP (docs/security.md). */
function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'unseen';
  // Stay inside an open dialog, because it traps the focus.
  (focused?.closest('[role=dialog]') ?? document.body).append(field);
  field.select();
  // oxlint-disable-next-line typescript/no-deprecated -- nothing else copies without a secure context
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

/** Copies a text. Returns false if the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  // Despite its type, the clipboard is missing in insecure contexts.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined) return copyBySelection(text);
  return clipboard.writeText(text).then(
    () => true,
    () => copyBySelection(text),
  );
}
