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
import { listHeldModifiers, isModifier, keyGroups, type KeyName } from '../../domain/keys.ts';
import { vibrate } from '../pointer/pressAndHold.ts';
import styles from './KeysPanel.module.css';

const iconByKey: Readonly<Record<string, ComponentType<{ size: number; stroke: number }>>> = {
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
const accessibleNameByKey: Readonly<Record<string, string>> = {
  VolumeUp: 'Volume up',
  VolumeDown: 'Volume down',
  PageUp: 'Page up',
  PageDown: 'Page down',
};
const shortLabelByKey: Readonly<Record<string, string>> = { PageUp: 'PgUp', PageDown: 'PgDn', Minus: '-' };

const letterKeys = new Set<string>(keyGroups.letters);

type KeyRows = readonly (readonly KeyName[])[];

/** Rows as on a keyboard. */
const wideLetters: KeyRows = [
  ['Esc', 'Tab', ...Array.from('qwertyuiop'), 'Backspace'],
  ['Ctrl', 'Gui', ...Array.from('asdfghjkl'), 'Enter', 'Del'],
  ['Shift', 'Alt', ...Array.from('zxcvbnm'), 'Left', 'Up', 'Down', 'Right'],
];
const wideMore: KeyRows = [
  [...keyGroups.functions],
  [...Array.from('1234567890'), 'Minus', 'Space'],
  [...keyGroups.modifiers, ...keyGroups.navigation, ...keyGroups.media],
];
/** Ten keys per row, as on a phone's own keyboard; the last row ends with the button for more keys. */
const narrowLetters: KeyRows = [
  [...keyGroups.modifiers, 'Tab', 'Esc', 'Left', 'Up', 'Down', 'Right'],
  Array.from('qwertyuiop'),
  Array.from('asdfghjkl'),
  [...Array.from('zxcvbnm'), 'Backspace'],
  ['Del', 'Enter'],
];
const narrowMore: KeyRows = [
  [...keyGroups.modifiers, ...keyGroups.navigation, 'Space', 'Minus'],
  Array.from('1234567890'),
  [...keyGroups.media],
  [...keyGroups.functions],
];

function getRows(isNarrow: boolean, showsMore: boolean): KeyRows {
  if (isNarrow) return showsMore ? narrowMore : narrowLetters;
  return showsMore ? wideMore : wideLetters;
}

interface KeyProps {
  readonly name: KeyName;
  readonly isHeld: boolean;
  readonly onPress: () => void;
}

function Key({ name, isHeld, onPress }: KeyProps) {
  const Icon = iconByKey[name];
  const shortLabel = shortLabelByKey[name];
  return (
    <button
      type="button"
      className={styles['key']}
      data-plain={letterKeys.has(name) || /^\d$/.test(name) || undefined}
      data-held={isHeld || undefined}
      aria-label={accessibleNameByKey[name] ?? (Icon || shortLabel ? name : undefined)}
      aria-pressed={isModifier(name) ? isHeld : undefined}
      // Keeps the focus in the text field, so that a phone's soft keyboard does not open or close.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      {Icon ? <Icon size={17} stroke={1.75} /> : (shortLabel ?? name)}
    </button>
  );
}

interface KeysPanelProps {
  /** The content of the text field; its modifiers are shown as held. */
  readonly text: string;
  readonly isNarrow: boolean;
  readonly onKey: (key: KeyName) => void;
}

/** The special buttons: round keys that compose a shortcut in the text field. */
export function KeysPanel({ text, isNarrow, onKey }: KeysPanelProps) {
  const [showsMore, setShowsMore] = useState(false);
  const heldModifiers: readonly string[] = listHeldModifiers(text);
  const rows = getRows(isNarrow, showsMore);
  const moreButton = (
    <button
      type="button"
      className={styles['more']}
      aria-pressed={showsMore}
      aria-label="More keys"
      title="More keys"
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => setShowsMore(!showsMore)}
    >
      <IconDots size={17} stroke={1.75} />
    </button>
  );
  function handlePress(key: KeyName): void {
    vibrate();
    onKey(key);
  }
  return (
    <section className={styles['panel']} data-narrow={isNarrow || undefined} aria-label="Special buttons">
      {rows.map((row, index) => (
        <div key={index} className={styles['row']}>
          {row.map((name) => (
            <Key key={name} name={name} isHeld={heldModifiers.includes(name)} onPress={() => handlePress(name)} />
          ))}
          {isNarrow && index === rows.length - 1 ? moreButton : null}
        </div>
      ))}
      {isNarrow ? null : moreButton}
    </section>
  );
}
