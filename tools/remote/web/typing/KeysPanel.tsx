import {
  IconArrowDown,
  IconArrowLeft,
  IconArrowRight,
  IconArrowUp,
  IconBackspace,
  IconDots,
  IconPlayerPlay,
  IconPlayerTrackNext,
  IconPlayerTrackPrev,
  IconVolume,
  IconVolume2,
  IconVolumeOff,
} from '@tabler/icons-react';
import { useState, type ComponentType } from 'react';
import { heldIn, isModifier, keyGroups, type KeyName } from '../../domain/keys.ts';
import styles from './KeysPanel.module.css';

const icons: Readonly<Record<string, ComponentType<{ size: number; stroke: number }>>> = {
  Left: IconArrowLeft,
  Up: IconArrowUp,
  Down: IconArrowDown,
  Right: IconArrowRight,
  Backspace: IconBackspace,
  Play: IconPlayerPlay,
  Next: IconPlayerTrackNext,
  Previous: IconPlayerTrackPrev,
  Mute: IconVolumeOff,
  VolumeUp: IconVolume,
  VolumeDown: IconVolume2,
};

/** Accessible names that differ from the key's name. */
const accessibleNames: Readonly<Record<string, string>> = {
  VolumeUp: 'Volume up',
  VolumeDown: 'Volume down',
  PageUp: 'Page up',
  PageDown: 'Page down',
};
const shortLabels: Readonly<Record<string, string>> = { PageUp: 'PgUp', PageDown: 'PgDn', Minus: '-' };

const letters = new Set<string>(keyGroups.letters);

const splitKeys = (keys: string): readonly KeyName[] => Array.from(keys);

type Rows = readonly (readonly KeyName[])[];

/** Rows as on a keyboard. */
const wideLetters: Rows = [
  ['Esc', 'Tab', ...splitKeys('qwertyuiop'), 'Backspace'],
  ['Ctrl', 'Gui', ...splitKeys('asdfghjkl'), 'Enter', 'Del'],
  ['Shift', 'Alt', ...splitKeys('zxcvbnm'), 'Left', 'Up', 'Down', 'Right'],
];
const wideMore: Rows = [
  [...keyGroups.functions],
  [...splitKeys('1234567890'), 'Minus', 'Space'],
  [...keyGroups.modifiers, ...keyGroups.places, ...keyGroups.media],
];
/** Ten keys per row, as on a phone's own keyboard; the last row ends with the button for more keys. */
const narrowLetters: Rows = [
  [...keyGroups.modifiers, 'Tab', 'Esc', 'Left', 'Up', 'Down', 'Right'],
  splitKeys('qwertyuiop'),
  splitKeys('asdfghjkl'),
  [...splitKeys('zxcvbnm'), 'Backspace'],
  ['Del', 'Enter'],
];
const narrowMore: Rows = [
  [...keyGroups.modifiers, ...keyGroups.places, 'Space', 'Minus'],
  splitKeys('1234567890'),
  [...keyGroups.media],
  [...keyGroups.functions],
];

const getRows = (narrow: boolean, more: boolean): Rows => {
  if (narrow) return more ? narrowMore : narrowLetters;
  return more ? wideMore : wideLetters;
};

interface KeyProps {
  readonly name: KeyName;
  readonly held: boolean;
  readonly press: () => void;
}

function Key({ name, held, press }: KeyProps) {
  const Icon = icons[name];
  const label = (accessibleNames[name] ?? shortLabels[name] === undefined) ? undefined : name;
  return (
    <button
      type="button"
      className={styles['key']}
      data-plain={letters.has(name) || /^\d$/.test(name) || undefined}
      data-held={held || undefined}
      aria-label={accessibleNames[name] ?? (Icon || label ? name : undefined)}
      aria-pressed={isModifier(name) ? held : undefined}
      // Keeps the focus in the text field, so that a phone's soft keyboard does not open or close.
      onPointerDown={(event) => event.preventDefault()}
      onClick={press}
    >
      {Icon ? <Icon size={17} stroke={1.75} /> : (shortLabels[name] ?? name)}
    </button>
  );
}

interface KeysPanelProps {
  /** The content of the text field; its modifiers are shown as held. */
  readonly text: string;
  readonly narrow: boolean;
  readonly onKey: (key: KeyName) => void;
}

/** The special buttons: round keys that compose a shortcut in the text field. */
export function KeysPanel({ text, narrow, onKey }: KeysPanelProps) {
  const [more, setMore] = useState(false);
  const held: readonly string[] = heldIn(text);
  const rows = getRows(narrow, more);
  const moreButton = (
    <button
      type="button"
      className={styles['more']}
      aria-pressed={more}
      aria-label="More keys"
      title="More keys"
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => setMore(!more)}
    >
      <IconDots size={17} stroke={1.75} />
    </button>
  );
  const press = (key: KeyName) => {
    // Only some browsers support it, and only on phones.
    navigator.vibrate?.(8);
    onKey(key);
  };
  return (
    <section className={styles['panel']} data-narrow={narrow || undefined} aria-label="Special buttons">
      {rows.map((row, at) => (
        <div key={at} className={styles['row']}>
          {row.map((name) => (
            <Key key={name} name={name} held={held.includes(name)} press={() => press(name)} />
          ))}
          {narrow && at === rows.length - 1 ? moreButton : null}
        </div>
      ))}
      {narrow ? null : moreButton}
    </section>
  );
}
