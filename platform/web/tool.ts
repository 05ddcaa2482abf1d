import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import type { Page } from '#platform/contract/page.ts';

export type Icon = ComponentType<{ size?: number | string; stroke?: number | string }>;

/** A page as the web part carries it: `page.ts` plus what draws it. */
export interface WebPage extends Page {
  readonly icon: Icon;
  /** Its parts by `import('./…')`, word by word: the build reads them there (`apps/web/pageFiles.ts`). */
  readonly load: () => Promise<LoadedPage>;
}

export interface LoadedPage {
  readonly default: ComponentType;
  /** Asks for what the page shows first, before anything is drawn. */
  readonly askEarly?: (queries: QueryClient) => void;
}

/** A panel that a tool puts under one of the three buttons of /dashboard/settings. Panels of one tab stand in the order of the tools. */
export interface SettingsPanel {
  readonly tab: 'scripts' | 'devices' | 'account';
  readonly id: string;
  readonly load: () => Promise<{ default: ComponentType }>;
}

/** What was really done: a stretch of time, in milliseconds since the epoch. */
export interface ActivityInterval {
  readonly name: string;
  readonly from: number;
  readonly until: number;
  /** CSS. */
  readonly colour: string;
}

/** What a tool knows of what its owner really did, for pages that show what was planned. */
export interface ActivitySource {
  /** For the switch that shows it: 'Screen time'. */
  readonly name: string;
  /** Stretches that overlap this time, in order; in milliseconds since the epoch. */
  readonly listBetween: (from: number, until: number) => Promise<readonly ActivityInterval[]>;
}

/** The page half of a tool. */
export interface WebTool {
  readonly pages: readonly WebPage[];
  readonly settings?: readonly SettingsPanel[];
  readonly doings?: () => Promise<ActivitySource>;
  /** Commands for the palette of every page: a component that offers them (`useCommands`) and draws nothing. Loaded when the palette is first opened. */
  readonly commands?: () => Promise<{ default: ComponentType }>;
  /** Goes on, on whatever page of the shell, with what this browser keeps of the last visit: a player that is held. It stands in the first load, so it only looks whether there is anything, and loads the rest. */
  readonly resume?: (queries: QueryClient) => Promise<void>;
}
