import type { ComponentType } from 'react';
import type { Page } from '#platform/contract/page.ts';

export type Icon = ComponentType<{ size?: number | string; stroke?: number | string }>;

/** A page as the web part carries it: `page.ts` plus what draws it. */
export interface WebPage extends Page {
  readonly icon: Icon;
  readonly load: () => Promise<{ default: ComponentType }>;
}

/** A panel that a tool puts under one of the three buttons of /dashboard/settings. Panels of one tab stand in the order of the tools. */
export interface SettingsPanel {
  readonly tab: 'scripts' | 'devices' | 'account';
  readonly id: string;
  readonly load: () => Promise<{ default: ComponentType }>;
}

/** The page half of a tool. */
export interface WebTool {
  readonly pages: readonly WebPage[];
  readonly settings?: readonly SettingsPanel[];
}
