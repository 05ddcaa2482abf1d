import { KEYS_MARKER } from '#platform/contract/message.ts';
import { buzz } from '../pointer/pressAndHold.ts';
import { writtenKeys } from './shortcuts.ts';
import styles from './ShortcutRow.module.css';

/** What people press most on a computer that they do not sit at. */
const SHORTCUTS = ['Enter', 'Esc', 'Tab', 'Alt-Tab', 'Ctrl-c', 'Ctrl-v', 'Ctrl-z', 'Ctrl-l', 'Alt-F4', 'Gui'].map(
  (keys) => KEYS_MARKER + keys,
);

/** Shortcuts that are sent at once: on a phone, while the special buttons are closed. */
export function ShortcutRow({ send }: { readonly send: (text: string) => void }) {
  return (
    <section className={styles['row']} aria-label="Shortcuts">
      {SHORTCUTS.map((text) => (
        <button
          key={text}
          type="button"
          // The text field keeps its focus, and a phone its soft keyboard as it is.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => {
            buzz();
            send(text);
          }}
        >
          {writtenKeys(text)?.join('-')}
        </button>
      ))}
    </section>
  );
}
