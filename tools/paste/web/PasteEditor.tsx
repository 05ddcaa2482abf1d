import { IconCheck, IconFlame, IconLock } from '@tabler/icons-react';
import type { ChangeEvent, KeyboardEvent, RefObject } from 'react';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import type { Icon } from '#platform/web/tool.ts';
import { KEEPS } from '../contract.ts';
import type { Keep } from '../domain/paste.ts';
import type { PasteOptions } from './usePaste.ts';
import styles from './PastePage.module.css';

const RETENTION_LABELS: Readonly<Record<Keep, string>> = {
  '1h': '1 hour',
  '1d': '1 day',
  '7d': '7 days',
  '30d': '30 days',
};

interface ToggleProps {
  readonly label: string;
  readonly title: string;
  readonly icon: Icon;
  readonly on: boolean;
  readonly disabled?: boolean;
  readonly set: (on: boolean) => void;
}

function Toggle({ label, title, icon: Icon, on, disabled = false, set }: ToggleProps) {
  const ToggleIcon = on ? IconCheck : Icon;
  return (
    <button
      type="button"
      className={styles['toggle']}
      title={title}
      aria-pressed={on}
      disabled={disabled}
      onClick={() => set(!on)}
    >
      <ToggleIcon size={15} stroke={1.75} />
      {label}
    </button>
  );
}

/** Options for storing the next paste. */
export function Options({
  options,
  set,
}: {
  readonly options: PasteOptions;
  readonly set: (options: PasteOptions) => void;
}) {
  const canEncrypt = isSecureContext();
  return (
    <div className={styles['options']}>
      <label className={styles['retention']}>
        <span>Keep for</span>
        <select
          value={options.keep}
          onChange={({ currentTarget: { value } }) =>
            set({ ...options, keep: KEEPS.find((period) => period === value) ?? '30d' })
          }
        >
          {KEEPS.map((period) => (
            <option key={period} value={period}>
              {RETENTION_LABELS[period]}
            </option>
          ))}
        </select>
      </label>
      <Toggle
        label="Burn after reading"
        title="Deletes the paste as soon as someone has read it"
        icon={IconFlame}
        on={options.burn}
        set={(burn) => set({ ...options, burn })}
      />
      <Toggle
        label="Encrypt"
        title="Encrypts the text in this browser, so that only people with the link can read it"
        icon={IconLock}
        on={options.encrypt}
        disabled={!canEncrypt}
        set={(encrypt) => set({ ...options, encrypt })}
      />
      {canEncrypt ? null : (
        <span className={styles['reason']}>
          <HttpsHint>Encryption needs https</HttpsHint>
        </span>
      )}
    </div>
  );
}

interface TextAreaProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly type: (text: string) => void;
  /** Called when the dollar key is pressed; undefined if it types a dollar. */
  readonly onDollar: ((text: string) => void) | undefined;
  readonly onFile: (file: File) => void;
}

/** Returns whether a key press types a dollar. Some keyboards need AltGr, which reports Ctrl and Alt together. */
const isDollarKey = ({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean =>
  key === '$' && !metaKey && ctrlKey === altKey;

/** The text field of the page. */
export function TextArea({ field, text, type, onDollar, onFile }: TextAreaProps) {
  const handleKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (!onDollar || !isDollarKey(event)) return;
    event.preventDefault();
    if (!event.repeat) onDollar(event.currentTarget.value);
  };
  // On-screen keyboards don't report keys: remove the dollar after it was typed, before the text is rendered.
  const handleChange = ({ currentTarget: area, nativeEvent }: ChangeEvent<HTMLTextAreaElement>): void => {
    const isDollarTyped = onDollar && (nativeEvent as InputEvent).data === '$';
    const cursor = area.selectionStart;
    if (isDollarTyped && area.value.charAt(cursor - 1) === '$') area.setRangeText('', cursor - 1, cursor, 'end');
    type(area.value);
    if (isDollarTyped) onDollar(area.value);
  };
  return (
    <textarea
      ref={field}
      className={styles['area']}
      aria-label="Text"
      placeholder="Type or paste text, or drop a text file"
      spellCheck={false}
      autoCapitalize="off"
      autoComplete="off"
      value={text}
      onChange={handleChange}
      onKeyDown={handleKeyDown}
      onPaste={(event) => {
        const [file] = event.clipboardData.files;
        // Some programs copy a text together with a picture of it: the text is what the user wants.
        if (!file || event.clipboardData.types.includes('text/plain')) return;
        event.preventDefault();
        onFile(file);
      }}
    />
  );
}
