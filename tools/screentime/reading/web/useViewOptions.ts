import { startTransition, useCallback, useEffect, useMemo, useState } from 'react';
import { useSession } from '#platform/web/app/session.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { ALL_DEVICES, TOTAL } from '../../contract/limits.ts';

/** State of the toggles. */
export interface Options {
  readonly hideUnused: boolean;
  readonly compact: boolean;
  readonly goals: boolean;
  readonly breakdown: boolean;
  readonly newPicker: boolean;
  /** Addition to the specification. */
  readonly wall: boolean;
}
export type OptionName = keyof Options;

/** See docs/specification/screentime.md section 4.2. */
const DEFAULTS: Options = {
  hideUnused: false,
  compact: false,
  goals: true,
  breakdown: true,
  newPicker: false,
  wall: false,
};

/** Parses a stored value; an invalid one counts as none. */
const parseJson = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Manages the toggles, stored in this browser. */
export function useOptions() {
  const [text, store] = useBrowserStorage('screentime.options');
  const options = useMemo((): Options => {
    const stored = parseJson(text);
    if (!isRecord(stored)) return DEFAULTS;
    const entries = Object.entries(DEFAULTS).map(([name, standard]) => {
      const value = stored[name];
      return [name, typeof value === 'boolean' ? value : standard];
    });
    return Object.fromEntries(entries);
  }, [text]);
  const toggle = (name: OptionName): void => store(JSON.stringify({ ...options, [name]: !options[name] }));
  return { options, toggle };
}

const ON = 'screentime.on';
const FIRST: readonly string[] = [TOTAL];

const parseSelection = (text: string | undefined, username: string): readonly string[] => {
  const stored = parseJson(text);
  if (!isRecord(stored) || !Array.isArray(stored['on'])) return FIRST;
  // The account is not known immediately.
  if (username !== '' && stored['of'] !== username) return FIRST;
  return stored['on'].filter((name): name is string => typeof name === 'string');
};

type Change = (on: readonly string[]) => readonly string[];
export type ChangeOn = (change: Change) => void;

const applyChanges = (on: readonly string[], changes: readonly Change[]): readonly string[] =>
  changes.reduce((before, change) => change(before), on);

const storeSelection = (username: string, changes: readonly Change[]): void =>
  browserStorage.set(
    ON,
    JSON.stringify({ of: username, on: applyChanges(parseSelection(browserStorage.get(ON), username), changes) }),
  );

/**
 * Manages the selected applications in order of selection, stored per account in this browser. Dependent parts render
 * later than the pressed button.
 */
export function useOn() {
  const [text, setText] = useState(() => browserStorage.get(ON));
  const username = useSession()?.username ?? '';
  // Changes made before the account is known are applied afterwards.
  const [pendingChanges, setPendingChanges] = useState<readonly Change[]>([]);
  useEffect(() => {
    if (username === '' || pendingChanges.length === 0) return;
    storeSelection(username, pendingChanges);
    // oxlint-disable-next-line react-hooks-js/set-state-in-effect -- from here on the browser's storage has them
    setText(browserStorage.get(ON));
    setPendingChanges([]);
  }, [username, pendingChanges]);
  const on = useMemo(
    () => applyChanges(parseSelection(text, username), pendingChanges),
    [text, username, pendingChanges],
  );
  const changeOn = useCallback<ChangeOn>(
    (change) => {
      if (username !== '') storeSelection(username, [change]);
      startTransition(() => {
        if (username === '') setPendingChanges((before) => [...before, change]);
        else setText(browserStorage.get(ON));
      });
    },
    [username],
  );
  return { on, changeOn };
}

export const ALL = String(ALL_DEVICES);

/** Returns the selected computer; one that no longer exists counts as all. */
export function useDevice(computers: Readonly<Record<string, string>> | undefined) {
  const [stored = ALL, choose] = useBrowserStorage('screentime.device');
  const deviceid = computers === undefined || Object.hasOwn(computers, stored) ? stored : ALL;
  return { deviceid, choose };
}
