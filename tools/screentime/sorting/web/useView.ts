import { useLocation, useNavigate } from 'react-router';
import { createNavigationState } from '#platform/web/app/navigation.ts';

/** The labels of the first two are swapped relative to their values, as the specification has it (2, section 2.3). */
export const VIEWS = [
  { value: 'keylinks', label: 'Categories' },
  { value: 'catdata', label: 'Hotkeys' },
  { value: 'devices', label: 'Devices' },
] as const;
export type View = (typeof VIEWS)[number]['value'];

/** The view stands in the address, so that a link and a reload lead to it. */
export const useView = (): readonly [View, (view: View) => void] => {
  const { search } = useLocation();
  const navigate = useNavigate();
  const asked = new URLSearchParams(search).get('view');
  const view = VIEWS.find(({ value }) => value === asked)?.value ?? 'keylinks';
  const go = (next: View): void =>
    void navigate(
      { search: next === 'keylinks' ? '' : `?view=${next}` },
      { replace: true, state: createNavigationState() },
    );
  return [view, go];
};
