import { IconPlus } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState, type CSSProperties, type KeyboardEvent } from 'react';
import { getNextIndex } from '#platform/web/ui/listbox.ts';
import { fold, normalizeName } from '../../domain/itemNames.ts';
import styles from './Picker.module.css';

export interface PickerOption {
  readonly id: string;
  readonly label: string;
  readonly emoji?: string;
  readonly colour?: string;
}

interface PickerProps {
  readonly label: string;
  readonly placeholder: string;
  readonly options: readonly PickerOption[];
  readonly onSelect: (id: string) => void;
  /** Creates an option from a text that matches none. */
  readonly create?: { readonly label: string; readonly run: (text: string) => void };
}

/** More options are found by typing. */
const MAX_OPTIONS = 50;
const CREATE_ID = 'make';

function Choice({ option, createLabel }: { readonly option: PickerOption; readonly createLabel: string | undefined }) {
  return (
    <>
      {option.id === CREATE_ID && <IconPlus size={14} stroke={2} aria-hidden />}
      {option.colour !== undefined && (
        <i className="dot" style={{ '--c': option.colour } as CSSProperties} aria-hidden />
      )}
      {option.emoji !== undefined && <span aria-hidden>{option.emoji}</span>}
      <span className="ellipsis" dir="auto">
        {option.id === CREATE_ID ? `${createLabel ?? ''} ${option.label}` : option.label}
      </span>
    </>
  );
}

/** A list of options with a filter field; arrow keys and Enter select. */
export function Picker({ label, placeholder, options, onSelect, create }: PickerProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const matching = options.filter((option) => fold(option.label).includes(fold(text)));
  const isNew =
    create !== undefined &&
    text.trim() !== '' &&
    !options.some((option) => normalizeName(option.label) === normalizeName(text));
  const visibleOptions: readonly PickerOption[] = [
    ...matching.slice(0, MAX_OPTIONS),
    ...(isNew ? [{ id: CREATE_ID, label: text.trim() }] : []),
  ];
  const activeIndex = Math.min(active, Math.max(0, visibleOptions.length - 1));
  useEffect(() => {
    list.current?.children[activeIndex]?.scrollIntoView({ block: 'nearest' });
  }, [activeIndex]);

  function select(option: PickerOption | undefined): void {
    if (!option) return;
    setText('');
    setActive(0);
    if (option.id === CREATE_ID) create?.run(option.label);
    else onSelect(option.id);
  }
  function handleKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    // Home and End belong to the field.
    const step = event.key.startsWith('Arrow')
      ? getNextIndex(event.key, activeIndex, visibleOptions.length)
      : undefined;
    if (step !== undefined) setActive(step);
    else if (event.key === 'Enter') select(visibleOptions[activeIndex]);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <input
        className={styles['field']}
        role="combobox"
        aria-label={label}
        aria-expanded
        aria-controls={`${id}l`}
        aria-autocomplete="list"
        {...(visibleOptions.length > 0 ? { 'aria-activedescendant': `${id}${activeIndex}` } : {})}
        placeholder={placeholder}
        dir="auto"
        autoComplete="off"
        data-first
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={handleKeyDown}
      />
      <div ref={list} id={`${id}l`} className={styles['list']} role="listbox" aria-label={label}>
        {visibleOptions.map((option, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field keeps the focus and handles keys
          <div
            key={option.id}
            id={`${id}${index}`}
            className={styles['option']}
            role="option"
            tabIndex={-1}
            aria-selected={index === activeIndex}
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => setActive(index)}
            onClick={() => select(option)}
          >
            <Choice option={option} createLabel={create?.label} />
          </div>
        ))}
      </div>
      {visibleOptions.length === 0 && <p className={styles['note']}>No matches</p>}
      {matching.length > MAX_OPTIONS && (
        <p className={styles['note']}>{matching.length - MAX_OPTIONS} more. Type to find them</p>
      )}
    </>
  );
}
