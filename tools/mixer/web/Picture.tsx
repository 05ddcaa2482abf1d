import {
  IconAppWindow,
  IconBell,
  IconDeviceGamepad2,
  IconDeviceSpeaker,
  IconDeviceTv,
  IconHeadphones,
  IconHeadset,
  IconMusic,
  IconVideo,
  IconWorld,
} from '@tabler/icons-react';
import { createElement } from 'react';
import type { Icon } from '#platform/web/tool.ts';
import type { Group } from './mixerBoard.ts';

type Pictures = readonly (readonly [RegExp, Icon])[];

const outputs: Pictures = [
  [/head(phone|set)|ear(bud|phone)|bluetooth|airpod/i, IconHeadphones],
  [/hdmi|display ?port|monitor|\btv\b|television/i, IconDeviceTv],
];
const sessions: Pictures = [
  [/firefox|chrom|browser|\bedge\b|safari|opera|brave|vivaldi|epiphany/i, IconWorld],
  [/spotify|music|rhythmbox|audacious|clementine|strawberry|tidal|deezer|\bmpd\b|amarok|lollypop/i, IconMusic],
  [/\bvlc\b|\bmpv\b|video|film|kodi|player|totem|celluloid|ffplay|netflix|youtube/i, IconVideo],
  [/discord|teamspeak|mumble|voice|chat|\bzoom\b|\bteams\b|skype|signal|telegram|jitsi/i, IconHeadset],
  [/system|notif|alert|event|bell/i, IconBell],
  [/steam|game|\bwine\b|minecraft|proton/i, IconDeviceGamepad2],
];

/** A strip's picture, told by the words of its name. */
export function Picture({ group, name }: { readonly group: Group; readonly name: string }) {
  const [known, other] = group === 'outputs' ? [outputs, IconDeviceSpeaker] : [sessions, IconAppWindow];
  return createElement(known.find(([words]) => words.test(name))?.[1] ?? other, { size: 22, stroke: 1.75 });
}
