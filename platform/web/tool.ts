import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import type { Page } from '#platform/contract/page.ts';

export type Icon = ComponentType<{ size?: number | string; stroke?: number | string }>;

/** A page in the web app: its declaration plus what renders it. */
export interface WebPage extends Page {
  readonly icon: Icon;
  /**
   * Imports its parts with literal `import('./…')`, because the build reads the source text (`apps/web/pageFiles.ts`).
   */
  readonly load: () => Promise<LoadedPage>;
}

export interface LoadedPage {
  readonly default: ComponentType;
  /** Prefetches what the page shows first, before anything is rendered. */
  readonly prefetch?: (queryClient: QueryClient) => void;
}

/** A panel of a tool in one of the three tabs of /dashboard/settings, in the order of the tools. */
export interface SettingsPanel {
  readonly tab: 'scripts' | 'devices' | 'account';
  readonly id: string;
  readonly load: () => Promise<{ default: ComponentType }>;
}

/** An interval of time really spent, in milliseconds since the epoch. */
export interface ActivityInterval {
  readonly name: string;
  readonly from: number;
  readonly until: number;
  /** CSS colour. */
  readonly colour: string;
}

/** What a tool knows about time really spent, for pages that compare it with a plan. */
export interface ActivitySource {
  /** Label of the switch that shows it. */
  readonly name: string;
  /** Returns intervals that overlap this time, in order. Times are milliseconds since the epoch. */
  readonly listBetween: (from: number, until: number) => Promise<readonly ActivityInterval[]>;
}

/** The web half of a tool. */
export interface WebTool {
  readonly pages: readonly WebPage[];
  readonly settings?: readonly SettingsPanel[];
  readonly loadActivitySource?: () => Promise<ActivitySource>;
  /**
   * Palette commands of every page: a component that registers them (`useCommands`) and renders nothing. It is loaded
   * when the palette first opens.
   */
  readonly commands?: () => Promise<{ default: ComponentType }>;
  /**
   * Resumes work of the last visit on any page of the shell, such as a paused player. It is part of the first load, so
   * it only checks whether there is work and loads the rest.
   */
  readonly resume?: (queryClient: QueryClient) => Promise<void>;
}
