/** One step of showing the timer in a small window above all others, with its picture. */
export interface Step {
  readonly text: string;
  /** Differences between browsers or systems. */
  readonly note?: string;
  /** Describes the picture. */
  readonly shows: string;
  readonly width: number;
  readonly height: number;
}

/** `testing/pictures/timer.ts` takes the pictures, with the sizes of these steps. */
export const STEPS: readonly Step[] = [
  {
    text: 'Open the timer in Chromium, Chrome or Edge on a computer.',
    shows: 'The timer in a tab of the browser.',
    width: 720,
    height: 490,
  },
  {
    text: "Write how long a round is into 'change loop time', such as 25 min, and press Enter.",
    shows: "The field 'change loop time' with 1500; the timer shows 25:00.",
    width: 560,
    height: 165,
  },
  {
    text: "Press 'Test audio' and set the loudness of the computer.",
    note: 'Browsers play no sound on a page before the first click.',
    shows: "The button 'Test audio' under the pointer.",
    width: 560,
    height: 165,
  },
  {
    text: 'Open the menu of the browser: the three dots at the right of the address.',
    shows: "The browser's menu, open.",
    width: 420,
    height: 700,
  },
  {
    text: "Choose 'Cast, save, and share', then 'Install page as app…'.",
    note: "In Edge: 'More tools', 'Apps', 'Install this site as an app'. The page must have come over https, or from this computer.",
    shows: "The menu 'Cast, save, and share' with the entry 'Install page as app…'.",
    width: 660,
    height: 400,
  },
  {
    text: "Give it a name and press 'Install'.",
    shows: "A dialog, 'Install this page as an app', with the name Timer.",
    width: 480,
    height: 260,
  },
  {
    text: 'The timer now has a window of its own, without tabs and address. Press Start.',
    shows: 'The timer in a window of its own, running.',
    width: 720,
    height: 490,
  },
  {
    text: 'Pull a corner of the window until it is as small as you like.',
    note: 'Less than 320 pixels high it shows the digits, the bar and one button; the keys r and t still reset it and test its sound.',
    shows: 'A small window with the digits, the bar and the button Pause.',
    width: 560,
    height: 250,
  },
  {
    text: "Open the menu of the window with Alt+Space or a right click on its title, and choose 'Always on top'.",
    note: 'Windows needs PowerToys for it (Win+Ctrl+T), macOS has no such choice.',
    shows: "The window's menu with 'Always on top' chosen.",
    width: 560,
    height: 360,
  },
];

/** Returns the address of the picture of step `number`, which counts from 1. */
export function pictureOf(number: number): string {
  return `/images/minify/${number}.png`;
}
