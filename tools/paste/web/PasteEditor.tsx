import type { ChangeEvent, KeyboardEvent, RefObject } from 'react';
import styles from './PastePage.module.css';

interface TextAreaProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly type: (text: string) => void;
  /** The dollar key; undefined where it is typed like any other. */
  readonly onDollar: ((text: string) => void) | undefined;
  readonly onFile: (file: File) => void;
}

/** Whether a key is the dollar itself and no chord. AltGr, which writes it on some keyboards, counts as Ctrl and Alt at once. */
const isDollar = ({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean =>
  key === '$' && !metaKey && ctrlKey === altKey;

/** The large text area. */
export function TextArea({ field, text, type, onDollar, onFile }: TextAreaProps) {
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (!onDollar || !isDollar(event)) return;
    event.preventDefault();
    if (!event.repeat) onDollar(event.currentTarget.value);
  };
  // Soft keyboards name no key: their dollar is taken out again before it is drawn.
  const onChange = ({ currentTarget: area, nativeEvent }: ChangeEvent<HTMLTextAreaElement>): void => {
    const isTyped = onDollar && (nativeEvent as InputEvent).data === '$';
    const at = area.selectionStart;
    if (isTyped && area.value.charAt(at - 1) === '$') area.setRangeText('', at - 1, at, 'end');
    type(area.value);
    if (isTyped) onDollar(area.value);
  };
  return (
    <textarea
      ref={field}
      className={styles['area']}
      aria-label="Text"
      placeholder="Type or paste a text, or drop a text file"
      spellCheck={false}
      autoCapitalize="off"
      autoComplete="off"
      value={text}
      onChange={onChange}
      onKeyDown={onKeyDown}
      onPaste={(event) => {
        const [file] = event.clipboardData.files;
        // Programs that copy a text with its picture put both there: the text is meant.
        if (!file || event.clipboardData.types.includes('text/plain')) return;
        event.preventDefault();
        onFile(file);
      }}
    />
  );
}
