import { describe } from 'vitest';
import { startSway } from '../kits/desktop/sway.ts';
import { startXDesktop } from '../kits/desktop/xDesktop.ts';
import { getSkipReason } from '../machine.ts';
import { testRemoteJourney } from './remoteJourney.ts';

const xSkipReason = getSkipReason('Xvfb', 'openbox', 'xclip', 'gi', 'Gtk-4.0.typelib', 'pulseaudio', 'pacat');
describe.skipIf(xSkipReason)(`the remote journey on X11${xSkipReason === undefined ? '' : `: ${xSkipReason}`}`, () => {
  testRemoteJourney(startXDesktop);
});

const swaySkipReason = getSkipReason('sway', 'wl-copy', 'gi', 'Gtk-4.0.typelib', 'xkbcli', 'pulseaudio', 'pacat');
describe.skipIf(swaySkipReason)(
  `the remote journey on sway${swaySkipReason === undefined ? '' : `: ${swaySkipReason}`}`,
  () => testRemoteJourney(startSway),
);
