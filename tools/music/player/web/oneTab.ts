/** Of all tabs one plays at a time. */
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('pegboard.player') : undefined;

export const oneTab = {
  /** Tells the others that this one plays from now on. */
  begin: (): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target but its own origin
    channel?.postMessage('playing');
  },
  onOther: (tell: () => void): void => channel?.addEventListener('message', tell),
};
