import { toSitePath } from '#platform/web/browser/siteAddress.ts';

/** One step of showing the timer in a small window above all others, with its picture. */
export interface Step {
  readonly text: string;
  /** Differences between browsers or systems. */
  readonly note?: string;
  /** Describes the picture. */
  readonly alt: string;
  readonly width: number;
  readonly height: number;
}

/** `testing/pictures/timer.ts` takes the pictures, with the sizes of these steps. */
export const STEPS: readonly Step[] = [
  {
    text: 'Open the timer in Chromium, Chrome or Edge on a computer',
    alt: 'The timer in a browser tab',
    width: 720,
    height: 490,
  },
  {
    text: "Enter the length of a round in 'change loop time', such as 25 min, and press Enter",
    alt: "The field 'change loop time' with 1500. The timer shows 25:00",
    width: 560,
    height: 165,
  },
  {
    text: "Press 'Test audio' and adjust the volume of the computer",
    note: "Browsers don't play sound on a page before the first click",
    alt: "The pointer on the button 'Test audio'",
    width: 560,
    height: 165,
  },
  {
    text: 'Open the browser menu with the three dots to the right of the address',
    alt: 'The open browser menu',
    width: 420,
    height: 700,
  },
  {
    text: "Choose 'Cast, save, and share', then 'Install Pegboard…'",
    note: "In Edge: 'More tools', 'Apps', 'Install this site as an app'. The page must be served over https or from this computer",
    alt: "The menu 'Cast, save, and share' with the entry 'Install Pegboard…'",
    width: 660,
    height: 400,
  },
  {
    text: "Press 'Install'",
    alt: "The dialog 'Install app' with the buttons Cancel and Install",
    width: 480,
    height: 260,
  },
  {
    text: 'The timer is now in a separate window without tabs and address. Press Start',
    alt: 'The running timer in a separate window',
    width: 720,
    height: 490,
  },
  {
    text: 'Drag a corner of the window to make it as small as you like',
    note: 'Below 320 pixels in height it shows only the digits, the bar and one button. The keys r and t still reset it and test the audio',
    alt: 'A small window with the digits, the bar and the button Pause',
    width: 560,
    height: 250,
  },
  {
    text: "Open the window menu with Alt+Space or a right-click on its title, and choose 'Always on top'",
    note: 'On Windows this needs PowerToys (Win+Ctrl+T). It is not available on macOS',
    alt: "The window menu with 'Always on top' selected",
    width: 560,
    height: 360,
  },
];

/** Returns the address of the picture of step `number`, which counts from 1. */
export function getPictureAddress(number: number): string {
  return toSitePath(`/images/minify/${number}.png`);
}
