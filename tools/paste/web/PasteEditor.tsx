import { IconCheck, IconFlame, IconLock } from '@tabler/icons-react';
import type { ChangeEvent, KeyboardEvent, RefObject } from 'react';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import type { Icon } from '#platform/web/tool.ts';
import { RETENTION_PERIODS, type RetentionPeriod } from '../contract.ts';
import type { PasteOptions } from './usePaste.ts';
import styles from './PastePage.module.css';

const RETENTION_LABELS: Readonly<Record<RetentionPeriod, string>> = {
  '1h': '1 hour',
  '1d': '1 day',
  '7d': '7 days',
  '30d': '30 days',
};

interface ToggleProps {
  readonly label: string;
  readonly title: string;
  readonly icon: Icon;
  readonly isOn: boolean;
  readonly disabled?: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Toggle({ label, title, icon: Icon, isOn, disabled = false, onChange }: ToggleProps) {
  const ToggleIcon = isOn ? IconCheck : Icon;
  return (
    <button
      type="button"
      className={styles['toggle']}
      title={title}
      aria-pressed={isOn}
      disabled={disabled}
      onClick={() => onChange(!isOn)}
    >
      <ToggleIcon size={15} stroke={1.75} />
      {label}
    </button>
  );
}

/** Options for storing the next paste. */
export function Options({
  options,
  onChange,
}: {
  readonly options: PasteOptions;
  readonly onChange: (options: PasteOptions) => void;
}) {
  const canEncrypt = isSecureContext();
  return (
    <div className={styles['options']}>
      <label className={styles['retention']}>
        <span>Keep for</span>
        <select
          value={options.retention}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...options, retention: RETENTION_PERIODS.find((period) => period === value) ?? '30d' })
          }
        >
          {RETENTION_PERIODS.map((period) => (
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
        isOn={options.burn}
        onChange={(burn) => onChange({ ...options, burn })}
      />
      <Toggle
        label="Encrypt"
        title="Encrypts the text in this browser, so that only people with the link can read it"
        icon={IconLock}
        isOn={options.encrypt}
        disabled={!canEncrypt}
        onChange={(encrypt) => onChange({ ...options, encrypt })}
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
  readonly fieldRef: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly onInput: (text: string) => void;
  /** Called when the dollar key is pressed; undefined if it types a dollar. */
  readonly onDollar: ((text: string) => void) | undefined;
  readonly onFile: (file: File) => void;
}

/** Returns whether a key press types a dollar. Some keyboards need AltGr, which reports Ctrl and Alt together. */
const isDollarKey = ({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean =>
  key === '$' && !metaKey && ctrlKey === altKey;

/** The text field of the page. */
export function TextArea({ fieldRef, text, onInput, onDollar, onFile }: TextAreaProps) {
  function handleKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (!onDollar || !isDollarKey(event)) return;
    event.preventDefault();
    if (!event.repeat) onDollar(event.currentTarget.value);
  }
  // On-screen keyboards don't report keys, so the dollar is removed after it was typed, before the text is rendered.
  function handleChange({ currentTarget: field, nativeEvent }: ChangeEvent<HTMLTextAreaElement>): void {
    const isDollarTyped = onDollar && (nativeEvent as InputEvent).data === '$';
    const cursor = field.selectionStart;
    if (isDollarTyped && field.value.charAt(cursor - 1) === '$') field.setRangeText('', cursor - 1, cursor, 'end');
    onInput(field.value);
    if (isDollarTyped) onDollar(field.value);
  }
  return (
    <textarea
      ref={fieldRef}
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
