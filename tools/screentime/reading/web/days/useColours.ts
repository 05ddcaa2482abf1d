import { useCallback, useMemo } from 'react';
import { coloursBy, NEUTRAL } from '../picker/applicationList.ts';
import { useApplications } from '../useUsage.ts';
import type { Scope } from '../viewTypes.ts';

const NONE: ReadonlyMap<string, string> = new Map();

/** The colour of each application, and the names of all of them. */
export const useColours = (scope: Scope) => {
  const { data } = useApplications(scope.deviceid, true);
  const colours = useMemo(() => (data ? coloursBy(data) : NONE), [data]);
  return {
    colourOf: useCallback((application: string) => colours.get(application) ?? NEUTRAL, [colours]),
    applications: useMemo(() => (data?.flat ?? []).map(({ name }) => name), [data]),
  };
};
