import { createContext, useContext, type ComponentType } from 'react';
import type { ActivitySource, SettingsPanel, WebPage, WebTool } from '../tool.ts';

/** All pages and panels of all tools: `apps/web` fills it, so that a page (page browser, settings) can show what other tools offer without importing them. */
export interface WebSite {
  readonly pages: readonly WebPage[];
  readonly settings: readonly SettingsPanel[];
  /** What was really done, for whoever shows it beside what was planned. */
  readonly activitySources: readonly (() => Promise<ActivitySource>)[];
  /** What tools offer in the palette of every page. */
  readonly commands: readonly (() => Promise<{ default: ComponentType }>)[];
  /** What tools go on with on every page. */
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
