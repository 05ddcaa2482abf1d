import { readLeftovers, type HeldInput } from '../heldInputs.ts';
import { createEventPoster, type EventPoster } from './events.ts';
import { openFrameworks, type MacFrameworks, type MacLibraryPaths } from './frameworks.ts';
import { releaseButton } from './mouse.ts';
import { createPointerPosition } from './pointer.ts';

/** Names the keyboard of macOS in the file of held inputs. */
export const MAC_SEAT = 'macOS';

/** Releases keys and buttons of another process. All processes press the keys of one keyboard. */
export function releaseMacInputs(frameworks: MacFrameworks, poster: EventPoster, items: readonly HeldInput[]): void {
  for (const item of items) {
    const number = Number(item.slice(1));
    if (item.startsWith('k')) poster.postKey(number, false, 0n);
    else releaseButton(poster, createPointerPosition(frameworks).get(), number);
  }
}

/** Releases what an agent that was killed has left pressed. Returns what was released. */
export function releaseMacLeftovers(
  heldPath: string,
  frameworks: MacFrameworks,
  poster: EventPoster,
): readonly HeldInput[] {
  const leftovers = readLeftovers(heldPath);
  if (leftovers?.display !== MAC_SEAT) return [];
  releaseMacInputs(frameworks, poster, leftovers.held);
  return leftovers.held;
}

/** Creates the guardian's way to release inputs. The libraries are opened when something has to be released. */
export function createMacReleaser(libraries?: MacLibraryPaths): (items: readonly HeldInput[]) => void {
  return (items) => {
    if (items.length === 0) return;
    const frameworks = openFrameworks(libraries);
    releaseMacInputs(frameworks, createEventPoster(frameworks), items);
  };
}

/** Releases leftovers while no agent runs. Returns lines that say what was done. */
export function releaseOnMac(heldPath: string): readonly string[] {
  const frameworks = openFrameworks();
  releaseMacLeftovers(heldPath, frameworks, createEventPoster(frameworks));
  return ['Released every key and button that an agent was holding'];
}
