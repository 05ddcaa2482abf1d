import { IconChevronDown } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { Icon } from '../tool.ts';
import { findFirstEnabled, getNextIndex, appendLetter } from './listbox.ts';
import styles from './Dropdown.module.css';

export interface DropdownOption {
  readonly value: string;
  readonly label: string;
  /** Text at the right, such as the state of a device. */
  readonly note?: ReactNode;
  /** Shown before the label. */
  readonly icon?: Icon;
  /** Dot before the label: a colour (`var(--green)`), or 'hollow'. */
  readonly dot?: string;
  /** Why it can't be selected; shown and read out. */
  readonly disabledReason?: string;
}

interface DropdownProps {
  readonly label: string;
  readonly options: readonly DropdownOption[];
  readonly value?: string | undefined;
  readonly placeholder?: string;
  readonly onSelect: (value: string) => void;
  /** A button that always shows its label and is as wide as its text, such as 'More pages'. */
  readonly asButton?: boolean;
  /** Shows all options; otherwise six or more scroll within 200 px (docs/specification/platform.md section 6). */
  readonly tall?: boolean;
  /** Hides the label visually. */
  readonly hideLabel?: boolean;
}

const MIN_SCROLLING_OPTIONS = 6;

function Dot({ colour }: { readonly colour: string }) {
  const isHollow = colour === 'hollow';
  return <span className="dot" data-hollow={isHollow || undefined} style={isHollow ? {} : { background: colour }} />;
}

function OptionBody({ option }: { readonly option: DropdownOption }) {
  const { icon: Icon } = option;
  return (
    <>
      {Icon && <Icon size={16} stroke={1.75} />}
      {option.dot !== undefined && <Dot colour={option.dot} />}
      <span className="ellipsis" dir="auto">
        {option.label}
      </span>
      {option.note !== undefined && <small>{option.note}</small>}
    </>
  );
}

interface OptionListProps {
  readonly id: string;
  readonly label: string;
  readonly options: readonly DropdownOption[];
  readonly value: string | undefined;
  readonly tall: boolean;
  readonly onPick: (option: DropdownOption) => void;
  /** `returnsFocus`: returns the focus to the button. */
  readonly onClose: (returnsFocus: boolean) => void;
}

/** The open list box. It has the focus, and the current option is its active descendant. */
function OptionList({ id, label, options, value, tall, onPick, onClose }: OptionListProps) {
  const list = useRef<HTMLDivElement>(null);
  const typeahead = useRef({ text: '', time: 0 });
  const [active, setActive] = useState(() => {
    const selectedIndex = options.findIndex((option) => option.value === value);
    return selectedIndex < 0 ? findFirstEnabled(options) : selectedIndex;
  });
  useEffect(() => {
    list.current?.focus({ preventScroll: true });
  }, []);
  // Don't return the value: in newer browsers it is a promise, which React would use as clean-up.
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  function handleKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    const option = options[active];
    const nextIndex = getNextIndex(key, active, options.length);
    if (nextIndex !== undefined) setActive(nextIndex);
    else if (['Tab', 'Escape'].includes(key)) onClose(true);
    else if ([' ', 'Enter'].includes(key) && option) onPick(option);
    else if (key.length === 1) {
      typeahead.current = appendLetter(typeahead.current, key, event.timeStamp);
      const match = options.findIndex((other) => other.label.toLowerCase().startsWith(typeahead.current.text));
      if (match >= 0) setActive(match);
    } else return;
    event.stopPropagation();
    if (key !== 'Tab') event.preventDefault();
  }

  return (
    <div
      ref={list}
      id={id}
      className={`${styles['list']} popup`}
      role="listbox"
      tabIndex={-1}
      aria-label={label}
      aria-activedescendant={`${id}${active}`}
      // Esc closes only the list, not the dialog around it.
      data-mantine-stop-propagation
      data-scrolls={(!tall && options.length >= MIN_SCROLLING_OPTIONS) || undefined}
      onKeyDown={handleKeyDown}
      onBlur={() => onClose(false)}
    >
      {options.map((option, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the list has the focus and handles the keys
        <div
          key={option.value}
          id={`${id}${index}`}
          className={styles['option']}
          role="option"
          tabIndex={-1}
          aria-selected={option.value === value}
          aria-disabled={option.disabledReason !== undefined}
          data-active={index === active || undefined}
          {...(option.disabledReason === undefined ? {} : { title: option.disabledReason })}
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => setActive(index)}
          onClick={() => onPick(option)}
        >
          <OptionBody option={option} />
          {option.disabledReason !== undefined && <span className="unseen">, {option.disabledReason}</span>}
        </div>
      ))}
    </div>
  );
}

interface ValueProps extends Pick<DropdownProps, 'label' | 'placeholder' | 'asButton'> {
  readonly id: string;
  readonly selected: DropdownOption | undefined;
}

function DropdownValue({ id, label, placeholder, asButton, selected }: ValueProps) {
  if (asButton) return <span className={styles['value']}>{label}</span>;
  return (
    <span id={id} className={styles['value']} data-empty={!selected || undefined}>
      {selected ? <OptionBody option={selected} /> : placeholder}
    </span>
  );
}

/**
 * Selects one of several options with a button and a list box; supports mouse, touch, arrows, Home, End, letters, Enter
 * and Esc.
 */
export function Dropdown(props: DropdownProps) {
  const { label, options, value, placeholder, onSelect, asButton = false, tall = false, hideLabel = false } = props;
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const selected = options.find((option) => option.value === value);

  function close(returnsFocus: boolean): void {
    setIsOpen(false);
    if (returnsFocus) button.current?.focus();
  }
  function selectOption(option: DropdownOption): void {
    if (option.disabledReason !== undefined) return;
    close(true);
    onSelect(option.value);
  }

  return (
    <div className={styles['root']} data-as-button={asButton || undefined}>
      {!asButton && (
        <span id={`${id}l`} className={hideLabel ? 'unseen' : styles['label']}>
          {label}
        </span>
      )}
      <div className={styles['container']}>
        <button
          ref={button}
          type="button"
          className={styles['button']}
          aria-haspopup="listbox"
          aria-expanded={isOpen}
          {...(isOpen ? { 'aria-controls': `${id}o` } : {})}
          {...(asButton ? {} : { 'aria-labelledby': `${id}l ${id}v` })}
          // Without this the list would close when it loses the focus, and the click would open it again.
          onMouseDown={(event) => isOpen && event.preventDefault()}
          onClick={() => (isOpen ? close(true) : setIsOpen(true))}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
            event.preventDefault();
            setIsOpen(true);
          }}
        >
          <DropdownValue
            id={`${id}v`}
            label={label}
            asButton={asButton}
            selected={selected}
            placeholder={placeholder ?? ''}
          />
          <IconChevronDown size={16} stroke={1.75} aria-hidden />
        </button>
        {isOpen && (
          <OptionList
            id={`${id}o`}
            label={label}
            options={options}
            value={value}
            tall={tall}
            onPick={selectOption}
            onClose={close}
          />
        )}
      </div>
    </div>
  );
}
