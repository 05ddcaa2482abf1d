import { answersAccountData } from '#platform/agent/commandQueue.ts';
import type { AccountData } from '#platform/agent/pairedAccount.ts';
import type { AgentTool } from '#platform/agent/tool.ts';
import { clipboard } from '#tools/clipboard/agent/index.ts';
import { gallery } from '#tools/gallery/agent/index.ts';
import { messages } from '#tools/messages/agent/index.ts';
import { mixer } from '#tools/mixer/agent/index.ts';
import { remote } from '#tools/remote/agent/index.ts';
import { screentime } from '#tools/screentime/agent/index.ts';
import { selfcheck } from '#tools/selfcheck/agent/index.ts';

export { pairDevice } from '#tools/devices/agent/index.ts';
export { approveScript } from '#tools/remote/agent/index.ts';
export { setActivityWatch, setPrivacy } from '#tools/screentime/agent/index.ts';

export const agentTools: readonly AgentTool[] = [remote, clipboard, mixer, messages, screentime, gallery, selfcheck];

/** Data that is stored for the account that the computer is paired with. */
export const accountData: readonly AccountData[] = [
  answersAccountData,
  ...agentTools.flatMap(({ accountData: data }) => data ?? []),
];
