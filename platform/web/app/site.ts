import { createContext, useContext, type ComponentType } from 'react';
import type { ActivitySource, SettingsPanel, WebPage, WebTool } from '../tool.ts';

/**
 * Pages and panels of all tools. `apps/web` provides it, so that a page can show what other tools offer without
 * importing them.
 */
export interface WebSite {
  readonly pages: readonly WebPage[];
  readonly settings: readonly SettingsPanel[];
  /** Sources of time really spent, for pages that compare it with a plan. */
  readonly activitySources: readonly (() => Promise<ActivitySource>)[];
  /** Components that add commands to the palette of every page. */
  readonly commands: readonly (() => Promise<{ default: ComponentType }>)[];
  /** Work that tools resume on every page. */
  readonly resumeHandlers: readonly NonNullable<WebTool['resume']>[];
}

export const WebSiteContext = createContext<WebSite>({
  pages: [],
  settings: [],
  activitySources: [],
  commands: [],
  resumeHandlers: [],
});
export function useWebSite(): WebSite {
  return useContext(WebSiteContext);
}
