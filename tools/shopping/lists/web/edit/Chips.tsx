import { IconChevronDown, IconX } from '@tabler/icons-react';
import { useState, type CSSProperties } from 'react';
import { Popover } from '#platform/web/ui/Popover.tsx';
import { Picker, type PickerOption } from './Picker.tsx';
import styles from './Chips.module.css';

interface ChipsProps {
  /** Accessible name of the list of chips. */
  readonly label: string;
  readonly chips: readonly PickerOption[];
  readonly getName: (chip: PickerOption) => string;
  readonly onRemove: (id: string) => void;
  /** Undefined if nothing is left to add. */
  readonly add:
    | {
        readonly label: string;
        readonly placeholder: string;
        /** Called when it opens; returns what can be added. */
        readonly options: () => readonly PickerOption[];
        readonly onAdd: (id: string) => void;
        readonly create?: { readonly label: string; readonly run: (text: string) => void };
        /** Stays open after a choice, to add more. */
        readonly staysOpen?: boolean;
      }
    | undefined;
}

/** More chips are shown on request. */
const MAX_CHIPS = 24;

/** Options can be from the previous render, before the last choice was linked. */
function filterUnlinked(options: readonly PickerOption[], chips: readonly PickerOption[]): readonly PickerOption[] {
  const linkedIds = new Set(chips.map(({ id }) => id));
  return options.filter(({ id }) => !linkedIds.has(id));
}

function Chip({
  chip,
  name,
  onRemove,
}: {
  readonly chip: PickerOption;
  readonly name: string;
  readonly onRemove: (button: HTMLElement) => void;
}) {
  return (
    <li className={`${styles['chip']} chip`}>
      {chip.colour !== undefined && <i className="dot" style={{ '--c': chip.colour } as CSSProperties} aria-hidden />}
      <span className="ellipsis" dir="auto">
        {chip.label}
      </span>
      <button type="button" title={name} aria-label={name} onClick={(event) => onRemove(event.currentTarget)}>
        <IconX size={13} stroke={2} />
      </button>
    </li>
  );
}

/** Linked things, each with a remove button, and a dropdown that links more. */
export function Chips({ label, chips, getName, onRemove, add }: ChipsProps) {
  const [showsAll, setShowsAll] = useState(false);
  const visibleChips = showsAll || chips.length <= MAX_CHIPS + 4 ? chips : chips.slice(0, MAX_CHIPS);
  function remove(id: string, button: HTMLElement): void {
    // Moves the focus to the next chip, so that it is not lost to the page.
    const row = button.closest('li');
    const next = row?.nextElementSibling ?? row?.previousElementSibling ?? row?.closest('ul')?.nextElementSibling;
    next?.querySelector('button')?.focus({ preventScroll: true });
    onRemove(id);
  }
  return (
    <div className={styles['chips']}>
      <ul aria-label={label}>
        {visibleChips.map((chip) => (
          <Chip key={chip.id} chip={chip} name={getName(chip)} onRemove={(button) => remove(chip.id, button)} />
        ))}
      </ul>
      {visibleChips.length < chips.length && (
        <button type="button" className={`${styles['more']} chip`} onClick={() => setShowsAll(true)}>
          Show all {chips.length.toLocaleString('en')}
        </button>
      )}
      {add && (
        <Popover
          label={add.label}
          renderButton={(props) => (
            <button type="button" className={`${styles['add']} chip`} {...props}>
              {add.label}
              <IconChevronDown size={14} stroke={1.75} aria-hidden />
            </button>
          )}
        >
          {(close) => (
            <Picker
              label={add.label}
              placeholder={add.placeholder}
              options={filterUnlinked(add.options(), chips)}
              onSelect={(id) => {
                if (!add.staysOpen) close();
                add.onAdd(id);
              }}
              {...(add.create && {
                create: {
                  label: add.create.label,
                  run: (text: string) => {
                    close();
                    add.create?.run(text);
                  },
                },
              })}
            />
          )}
        </Popover>
      )}
    </div>
  );
}
