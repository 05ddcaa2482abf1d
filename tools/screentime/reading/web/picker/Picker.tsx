import { TextInput } from '@mantine/core';
import { IconActivity, IconChevronDown, IconChevronRight, IconSearch, IconCheck } from '@tabler/icons-react';
import { memo, useMemo, useState, type ReactNode, startTransition, useOptimistic } from 'react';
import { TOTAL, UNASSIGNED } from '#tools/screentime/contract/limits.ts';
import { byHours, pickerGroups, type PickerGroup } from '../../domain/picker.ts';
import { formatHours, type PickerProps } from './applicationList.ts';
import styles from './Picker.module.css';

interface AppButtonProps {
  readonly name: string;
  readonly colour: string | undefined;
  readonly hours: string;
  readonly isOn: boolean;
  /** Round and as wide as its text. */
  readonly asChip?: boolean;
  readonly onPick: (name: string) => void;
}

/** Toggle of an application. It changes immediately, while dependent parts still render. */
export const AppButton = memo(function AppButton({ name, colour, hours, isOn, asChip, onPick }: AppButtonProps) {
  const [isPressed, setPressed] = useOptimistic(isOn);
  const press = (): void =>
    startTransition(() => {
      setPressed(!isPressed);
      onPick(name);
    });
  return (
    <button
      type="button"
      className={asChip ? styles['chip'] : styles['app']}
      aria-pressed={isPressed}
      title={name}
      onClick={press}
    >
      <i style={{ background: colour }} />
      <span dir="auto">{name}</span>
      {hours === '' ? null : <small>{hours}</small>}
      {isPressed ? <IconCheck size={15} stroke={2} aria-hidden /> : null}
    </button>
  );
});

type ButtonsProps = Pick<PickerProps, 'hours' | 'colours' | 'on' | 'onPick'> & { readonly names: readonly string[] };

function Buttons({ names, hours, colours, on, onPick }: ButtonsProps) {
  return names.map((name) => (
    <AppButton
      key={name}
      name={name}
      colour={colours.get(name)}
      hours={formatHours(hours.get(name))}
      isOn={on.has(name)}
      onPick={onPick}
    />
  ));
}

interface CategoryProps {
  readonly group: PickerGroup;
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly children: (names: readonly string[]) => ReactNode;
}

function Category({ group: { category, recent, older }, isOpen, toggle, children }: CategoryProps) {
  const Icon = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <section aria-label={category}>
      <button type="button" className={styles['category']} aria-expanded={isOpen} onClick={toggle}>
        <Icon size={16} stroke={1.75} />
        <span className="ellipsis" dir="auto">
          {category}
        </span>
        <small>{recent.length + older.length}</small>
      </button>
      {isOpen && recent.length > 0 ? (
        <>
          <p>Recently used</p>
          {children(recent)}
        </>
      ) : null}
      {isOpen && older.length > 0 ? (
        <>
          <p>Over two weeks ago</p>
          {children(older)}
        </>
      ) : null}
    </section>
  );
}

/** Manages folded categories. Unassigned is folded if there are others. */
const useFoldedCategories = (groups: readonly PickerGroup[]) => {
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const isOpen = (category: string): boolean =>
    (category !== UNASSIGNED || groups.length === 1) !== turned.has(category);
  const toggle = (category: string): void => {
    const next = new Set(turned);
    if (!next.delete(category)) next.add(category);
    setTurned(next);
  };
  return { isOpen, toggle };
};

interface FinderProps {
  readonly found: string;
  readonly setFound: (found: string) => void;
  readonly isTyped: boolean;
}

const Finder = memo(function Finder({ found, setFound, isTyped }: FinderProps) {
  return (
    <TextInput
      aria-label="Find an app"
      placeholder="Find an app"
      data-find
      {...(isTyped ? { 'data-autofocus': true } : {})}
      leftSection={<IconSearch size={15} stroke={1.75} />}
      value={found}
      onChange={({ currentTarget }) => setFound(currentTarget.value)}
    />
  );
});

interface AllApplicationsProps extends PickerProps {
  /** In a dialog, where the search field gets the focus. */
  readonly isTyped?: boolean;
}

/** All applications by category, open ones first. */
export function Picker({ applications, hours, colours, on, onPick, isTyped = false }: AllApplicationsProps) {
  const { data, runningapps } = applications;
  const [found, setFound] = useState('');
  const groups = useMemo(() => pickerGroups(data, hours, found), [data, hours, found]);
  const running = useMemo(() => runningapps.toSorted(byHours(hours)), [runningapps, hours]);
  const folded = useFoldedCategories(groups);
  const isFinding = found.trim() !== '';
  const buttons = (names: readonly string[]): ReactNode => (
    <Buttons names={names} hours={hours} colours={colours} on={on} onPick={onPick} />
  );
  return (
    <div className={styles['picker']}>
      <Finder found={found} setFound={setFound} isTyped={isTyped} />
      {isFinding ? null : (
        <>
          {buttons([TOTAL])}
          {running.length > 0 ? (
            <section aria-label="Running">
              <h3>
                <IconActivity size={16} stroke={1.75} />
                Running
              </h3>
              {buttons(running)}
            </section>
          ) : null}
        </>
      )}
      {groups.map((group) => (
        <Category
          key={group.category}
          group={group}
          isOpen={isFinding || folded.isOpen(group.category)}
          toggle={() => folded.toggle(group.category)}
        >
          {buttons}
        </Category>
      ))}
      {isFinding && groups.length === 0 ? <p role="status">No apps match</p> : null}
    </div>
  );
}
