/** If the field takes longer, the buffer is discarded and keys work as usual again. */
const TIMEOUT_MS = 3000;

/** Keys that would press, move or leave the element in focus. */
const NAVIGATION_KEYS = /^(Enter|Tab|Delete|Home|End|Page\w+|Arrow\w+)$/;
/** Keys that are pressed before the actual key of a chord. */
const MODIFIER_KEYS = /^(Control|Alt|AltGraph|Meta)$/;

/** Returns whether text can be typed into the target. */
export function isTextField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('input:not([type=checkbox], [type=radio], [type=button]), textarea, select'))
  );
}

/** Returns whether the focused field has its own undo. Sliders, checkboxes and colour fields have none. */
export function isTextFieldFocused(): boolean {
  return document.activeElement?.matches('textarea, input:not([type=range], [type=checkbox], [type=color])') === true;
}

let stopBuffering = (): void => undefined;

/**
 * Buffers typed text and inserts it into the first field that gets the focus. Used by keys that open a field with a
 * delay, because typed letters would run commands meanwhile. Escape, a click or a chord discards it.
 */
export function bufferTyping(): void {
  stopBuffering();
  const controller = new AbortController();
  // Handle keys before all other handlers of the page, such as those of a grid.
  const options = { capture: true, signal: controller.signal };
  const deadline = Date.now() + TIMEOUT_MS;
  let typed = '';
  stopBuffering = () => controller.abort();

  /** Applies a key to the buffer. Returns whether the page must not handle it. */
  function bufferKey(event: KeyboardEvent): boolean {
    const { key } = event;
    if (key.length === 1) typed += event.repeat ? '' : key;
    else if (key === 'Backspace') typed = typed.slice(0, -1);
    else if (key === 'Escape') stopBuffering();
    else return NAVIGATION_KEYS.test(key);
    return true;
  }
  function handleKey(event: KeyboardEvent): void {
    if (MODIFIER_KEYS.test(event.key)) return;
    const isChord = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph');
    if (isChord || Date.now() > deadline) stopBuffering();
    else if (bufferKey(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }
  function insertBuffer(): void {
    if (controller.signal.aborted || !isTextField(document.activeElement)) return;
    stopBuffering();
    // Insert as if typed, so that selection, length limit, React events and Ctrl+Z work. Setting the value would break
    // them.
    // oxlint-disable-next-line typescript/no-deprecated -- nothing else leaves the field's own undo in order
    if (typed !== '' && Date.now() <= deadline) document.execCommand('insertText', false, typed);
  }

  window.addEventListener('keydown', handleKey, options);
  window.addEventListener('pointerdown', stopBuffering, options);
  // Fields that select their text do so during the focus event, so insert after it.
  window.addEventListener('focusin', () => queueMicrotask(insertBuffer), options);
}
