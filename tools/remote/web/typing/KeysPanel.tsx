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

/** What people read where it is not the key's name: its accessible name. */
const spoken: Readonly<Record<string, string>> = {
  VolumeUp: 'Volume up',
  VolumeDown: 'Volume down',
  PageUp: 'Page up',
  PageDown: 'Page down',
};
const short: Readonly<Record<string, string>> = { PageUp: 'PgUp', PageDown: 'PgDn', Minus: '-' };

const letters = new Set<string>(keyGroups.letters);

const keysOf = (keys: string): readonly KeyName[] => Array.from(keys);

type Rows = readonly (readonly KeyName[])[];

/** Rows as on a keyboard. */
const wideLetters: Rows = [
  ['Esc', 'Tab', ...keysOf('qwertyuiop'), 'Backspace'],
  ['Ctrl', 'Gui', ...keysOf('asdfghjkl'), 'Enter', 'Del'],
  ['Shift', 'Alt', ...keysOf('zxcvbnm'), 'Left', 'Up', 'Down', 'Right'],
];
const wideMore: Rows = [
  [...keyGroups.functions],
  [...keysOf('1234567890'), 'Minus', 'Space'],
  [...keyGroups.modifiers, ...keyGroups.places, ...keyGroups.media],
];
/** Ten keys to a row, as on a phone's own keyboard; the button for more keys ends the last one. */
const narrowLetters: Rows = [
  [...keyGroups.modifiers, 'Tab', 'Esc', 'Left', 'Up', 'Down', 'Right'],
  keysOf('qwertyuiop'),
  keysOf('asdfghjkl'),
  [...keysOf('zxcvbnm'), 'Backspace'],
  ['Del', 'Enter'],
];
const narrowMore: Rows = [
  [...keyGroups.modifiers, ...keyGroups.places, 'Space', 'Minus'],
  keysOf('1234567890'),
  [...keyGroups.media],
  [...keyGroups.functions],
];

const pageOf = (narrow: boolean, more: boolean): Rows => {
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
  const label = (spoken[name] ?? short[name] === undefined) ? undefined : name;
  return (
    <button
      type="button"
      className={styles['key']}
      data-plain={letters.has(name) || /^\d$/.test(name) || undefined}
      data-held={held || undefined}
      aria-label={spoken[name] ?? (Icon || label ? name : undefined)}
      aria-pressed={isModifier(name) ? held : undefined}
      // The text field keeps its focus, and a phone its soft keyboard as it is.
      onPointerDown={(event) => event.preventDefault()}
      onClick={press}
    >
      {Icon ? <Icon size={17} stroke={1.75} /> : (short[name] ?? name)}
    </button>
  );
}

interface KeysPanelProps {
  /** What the text field holds; its modifiers show as held. */
  readonly text: string;
  readonly narrow: boolean;
  readonly onKey: (key: KeyName) => void;
}

/** The special buttons: keys as circles that put a shortcut together in the text field. */
export function KeysPanel({ text, narrow, onKey }: KeysPanelProps) {
  const [more, setMore] = useState(false);
  const held: readonly string[] = heldIn(text);
  const rows = pageOf(narrow, more);
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
    // Only some browsers can, and only on phones.
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
