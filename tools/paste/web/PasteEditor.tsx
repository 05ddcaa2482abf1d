import { IconCheck, IconFlame, IconLock } from '@tabler/icons-react';
import type { ChangeEvent, KeyboardEvent, RefObject } from 'react';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import type { Icon } from '#platform/web/tool.ts';
import { KEEPS } from '../contract.ts';
import type { Keep } from '../domain/paste.ts';
import type { Wishes } from './usePaste.ts';
import styles from './PastePage.module.css';

const keepNames: Readonly<Record<Keep, string>> = { '1h': '1 hour', '1d': '1 day', '7d': '7 days', '30d': '30 days' };

interface ToggleProps {
  readonly label: string;
  readonly title: string;
  readonly icon: Icon;
  readonly on: boolean;
  readonly disabled?: boolean;
  readonly set: (on: boolean) => void;
}

function Toggle({ label, title, icon: Icon, on, disabled = false, set }: ToggleProps) {
  const Sign = on ? IconCheck : Icon;
  return (
    <button
      type="button"
      className={styles['toggle']}
      title={title}
      aria-pressed={on}
      disabled={disabled}
      onClick={() => set(!on)}
    >
      <Sign size={15} stroke={1.75} />
      {label}
    </button>
  );
}

/** How the next piece is to be stored. */
export function Options({ wishes, set }: { readonly wishes: Wishes; readonly set: (wishes: Wishes) => void }) {
  const secure = isSecureContext();
  return (
    <div className={styles['options']}>
      <label className={styles['keep']}>
        <span>Keep for</span>
        <select
          value={wishes.keep}
          onChange={({ currentTarget: { value } }) =>
            set({ ...wishes, keep: KEEPS.find((keep) => keep === value) ?? '30d' })
          }
        >
          {KEEPS.map((keep) => (
            <option key={keep} value={keep}>
              {keepNames[keep]}
            </option>
          ))}
        </select>
      </label>
      <Toggle
        label="Burn after reading"
        title="Deleted as soon as somebody has opened it"
        icon={IconFlame}
        on={wishes.burn}
        set={(burn) => set({ ...wishes, burn })}
      />
      <Toggle
        label="Encrypt"
        title="Encrypted in this page: the key is in the link alone, and the server cannot read the text"
        icon={IconLock}
        on={wishes.encrypt}
        disabled={!secure}
        set={(encrypt) => set({ ...wishes, encrypt })}
      />
      {secure ? null : (
        <span className={styles['why']}>
          <HttpsHint>Encryption is off: it needs https</HttpsHint>
        </span>
      )}
    </div>
  );
}

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
