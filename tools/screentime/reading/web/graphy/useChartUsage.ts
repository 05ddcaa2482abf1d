import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { Refusal, SECOND_FACTOR_REQUIRED } from '#platform/contract/refusal.ts';
import { accountClient } from '#platform/web/app/accountClient.ts';
import { call } from '#platform/web/app/call.ts';
import { openSession } from '#platform/web/app/openSession.ts';
import { session, useSession } from '#platform/web/app/session.ts';
import { createHues, getLineColour, type ChartLine } from '#platform/web/charts/plot.ts';
import { getsoundinfo } from '#tools/screentime/contract.ts';
import { getZoneFields } from '#tools/screentime/web/usageClock.ts';
import { formatDayLabel, formatDayTick } from '../../../usage/domain/formats.ts';
import { toDaySeries, computeRunningTotals, type SecondsByDay } from '../../domain/daySums.ts';

const MAX_DAYS_WITHOUT_YEAR = 366;

interface TypeLines {
  readonly name: string;
  readonly lines: readonly ChartLine[];
}

/** Data of all charts. An application has one colour in all of them. */
export interface Charts {
  readonly ticks: readonly string[];
  readonly labels: readonly string[];
  readonly all: readonly ChartLine[];
  readonly types: readonly TypeLines[];
}

interface ChartsUsage {
  readonly soundata: SecondsByDay;
  readonly types: Readonly<Record<string, readonly string[]>>;
}

export function createCharts({ soundata, types }: ChartsUsage, isAccumulative: boolean): Charts {
  const { days, applications } = toDaySeries(soundata);
  const hues = createHues(applications.length);
  const all = applications.map(({ name, hours }, index) => ({
    name,
    colour: getLineColour(hues[index] ?? 0),
    values: isAccumulative ? computeRunningTotals(hours) : hours,
  }));
  return {
    ticks: days.map((day) => formatDayTick(day, days.length > MAX_DAYS_WITHOUT_YEAR)),
    labels: days.map(formatDayLabel),
    all,
    types: Object.entries(types).flatMap(([name, names]) => {
      const typeNames = new Set(names);
      const lines = all.filter((line) => typeNames.has(line.name));
      return lines.length > 0 ? [{ name, lines }] : [];
    }),
  };
}

/** Formats hours beside a line: '5.7', '0.04', '1204.5', '0'. */
export function formatChartHours(hours: number): string {
  return hours === 0 ? '0' : hours.toFixed(hours < 1 ? 2 : 1);
}
/** Formats hours beside the axis. */
export const formatAxisHours = String;

/** Days of a session that starts on this page (docs/specification/platform.md section 2.2). */
const SESSION_DAYS = 300;

interface Credentials {
  readonly username: string;
  readonly password: string;
}

type UsageData = AnswerOf<typeof getsoundinfo>['data'];

/** Last request: the usage of the user at that time, or why there is none. */
interface UsageRequestState {
  readonly token: string | undefined;
  readonly usage?: UsageData;
  readonly refusal?: string;
}

/** Logs in with new credentials; blank ones reuse the stored token (docs/specification/screentime.md section 1.1). */
async function logIn({ username, password }: Credentials): Promise<void> {
  if (username === '' && password === '') return;
  const login = await accountClient.logIn({ username, password, days: SESSION_DAYS });
  openSession({ token: login.token, username: login.username }, SESSION_DAYS);
}

async function loadUsage(): Promise<UsageRequestState> {
  const token = session.getCurrent()?.token;
  try {
    return { token, usage: (await call(getsoundinfo, getZoneFields())).data };
  } catch (error) {
    // A refusal replaces the charts; a connection error is shown beside the button.
    if (error instanceof Refusal) return { token: session.getCurrent()?.token, refusal: error.message };
    throw error;
  }
}

/** Logs in if credentials are entered, and loads all usage. Shows the result to the same user only. */
export function useChartUsage() {
  const token = useSession()?.token;
  const [lastRequest, setLastRequest] = useState<UsageRequestState>();
  const submit = useMutation({
    mutationFn: async (credentials: Credentials): Promise<UsageRequestState> => {
      await logIn(credentials);
      return loadUsage();
    },
    onSuccess: setLastRequest,
  });
  const ownRequest = lastRequest?.token === token ? lastRequest : undefined;
  return {
    submit: (credentials: Credentials) => submit.mutate(credentials),
    isBusy: submit.isPending,
    /** Error of the login or of the connection. */
    failure: submit.error?.message,
    /** Whether the account can only log in on the login page. */
    needsLoginPage: submit.error instanceof Refusal && submit.error.code === SECOND_FACTOR_REQUIRED,
    usage: ownRequest?.usage,
    refusal: ownRequest?.refusal,
  };
}
