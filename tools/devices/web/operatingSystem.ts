/** Systems on which the agent runs. */
export const OPERATING_SYSTEMS = ['windows', 'macos', 'linux'] as const;
export type OperatingSystem = (typeof OPERATING_SYSTEMS)[number];

export const LABEL_BY_SYSTEM: Readonly<Record<OperatingSystem, string>> = {
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
};

/** What a browser says about the computer that it runs on. */
export interface BrowserInfo {
  readonly userAgent: string;
  /** The more reliable name, which only some browsers have, and only over HTTPS. */
  readonly platform?: string | undefined;
  readonly maxTouchPoints: number;
}

/** Returns the system of the visitor's computer; undefined for phones and tablets. */
export function detectOperatingSystem(info: BrowserInfo): OperatingSystem | undefined {
  const { userAgent, platform = '', maxTouchPoints } = info;
  const text = platform === '' ? userAgent : platform;
  if (/Android|iOS|iPhone|iPad|iPod/.test(`${platform} ${userAgent}`)) return undefined;
  // An iPad claims to be a Mac, but no Mac has a touchscreen.
  if (/mac/i.test(text)) return maxTouchPoints > 1 ? undefined : 'macos';
  if (/win/i.test(text)) return 'windows';
  return /Linux|X11|BSD/i.test(text) ? 'linux' : undefined;
}

/** Returns what this browser says about its computer. */
export function readBrowserInfo(): BrowserInfo {
  const { userAgent, maxTouchPoints } = navigator;
  const { userAgentData } = navigator as { readonly userAgentData?: { readonly platform?: string } };
  return { userAgent, maxTouchPoints, platform: userAgentData?.platform };
}
