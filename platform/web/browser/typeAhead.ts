/** A field that takes longer gets nothing: from then on keys do what they always do. */
const TIMEOUT_MS = 3000;

/** Keys that would press, move or leave what still has the focus. */
const NAVIGATION_KEYS = /^(Enter|Tab|Delete|Home|End|Page\w+|Arrow\w+)$/;
/** These come before the key that they are held for. */
const MODIFIER_KEYS = /^(Control|Alt|AltGraph|Meta)$/;

/** Whether text can be typed there. */
export function isTextField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('input:not([type=checkbox], [type=radio], [type=button]), textarea, select'))
  );
}

/** Whether undoing belongs to the field that has the focus: sliders, boxes and colours have no undo of their own. */
export function isTextFieldFocused(): boolean {
  return document.activeElement?.matches('textarea, input:not([type=range], [type=checkbox], [type=color])') === true;
}

let end = (): void => undefined;

/**
 * Keeps what is typed from now on, and puts it into the first field that gets the focus. For a key that opens a field which is not
 * there at once: until then what is typed would run commands. Escape, a press of the pointer or a chord gives it up.
 */
export function bufferTyping(): void {
  end();
  const over = new AbortController();
  // Ahead of everything on the page, the keys of a grid among them.
  const options = { capture: true, signal: over.signal };
  const until = Date.now() + TIMEOUT_MS;
  let typed = '';
  end = () => over.abort();

  const isKept = (event: KeyboardEvent): boolean => {
    const { key } = event;
    if (key.length === 1) typed += event.repeat ? '' : key;
    else if (key === 'Backspace') typed = typed.slice(0, -1);
    else if (key === 'Escape') end();
    else return NAVIGATION_KEYS.test(key);
    return true;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (MODIFIER_KEYS.test(event.key)) return;
    const isChord = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph');
    if (isChord || Date.now() > until) end();
    else if (isKept(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  const fill = (): void => {
    if (over.signal.aborted || !isTextField(document.activeElement)) return;
    end();
    // As if typed: the field's selection and limit hold, React hears of it, and Ctrl+Z takes it back. A set value has none of this.
    // oxlint-disable-next-line typescript/no-deprecated -- nothing else leaves the field's own undo in order
    if (typed !== '' && Date.now() <= until) document.execCommand('insertText', false, typed);
  };

  window.addEventListener('keydown', onKey, options);
  window.addEventListener('pointerdown', end, options);
  // Fields that select what they hold do so while they are told of the focus.
  window.addEventListener('focusin', () => queueMicrotask(fill), options);
}
