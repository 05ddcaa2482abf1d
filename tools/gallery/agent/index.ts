import { handleCommand, type AgentContext, type AgentTool } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { captureState, record } from '../contract.ts';
import { parseRegion, type Region } from '../domain/captureHotkey.ts';
import { type CaptureHotkey, listenForHotkey } from './captureHotkey.ts';
import { listCaptures, removeCaptures, openSpool, createCaptureSender } from './captureSpool.ts';
import { createRecorder, type Recorder } from './recorder.ts';

const USAGE_MESSAGE = 'Use `capture start`, `capture stop` or `capture hotkey Ctrl+Alt+R`';
const CONFIRMATION_REQUIRED_MESSAGE =
  'That computer requires confirmation. Start the recording there: run the agent\'s command with "capture start"';

function parseRegionOption(rest: readonly string[]): Region | undefined {
  if (rest.length === 0) return undefined;
  const region = rest[0] === '--region' && rest.length === 2 ? parseRegion(rest[1] ?? '') : undefined;
  if (!region)
    throw new Refusal('gallery.invalid_region', 'Enter the region as --region X,Y,WxH, such as --region 0,0,1280x720');
  return region;
}

const now = (): Date => new Date();

/** Reports whether this screen is being recorded: on each connection, and at each change. */
function reportState({ report, onConnect }: AgentContext, getStart: () => number | undefined): () => void {
  function sendState(): void {
    const start = getStart();
    const seconds = start === undefined ? 0 : Math.max(0, Math.round((now().getTime() - start) / 1000));
    // If the report is lost, the next connection repeats it.
    report(captureState, { isRecording: start !== undefined, seconds }).catch(() => undefined);
  }
  onConnect(sendState);
  return sendState;
}

const formatMinutesSince = (start: number): string =>
  `${Math.max(0, Math.round((now().getTime() - start) / 60_000))} min`;

async function runCaptureSubcommand(recorder: Recorder, rest: readonly string[], setHotkey: CaptureHotkey['set']) {
  const [action, ...more] = rest;
  if (action === 'start') {
    await recorder.start(parseRegionOption(more), '');
    return ['Recording this screen. Stop it with `capture stop`'];
  }
  if (action === 'stop' && more.length === 0) {
    const hasEnded = await recorder.stop();
    return [
      hasEnded
        ? 'Recording stopped. Sending it to the server'
        : 'Stopping the recording. It is sent to the server when it is complete',
    ];
  }
  const [keys, ...region] = more;
  if (action === 'hotkey' && keys !== undefined) return [setHotkey(keys, parseRegionOption(region))];
  throw new Refusal('agent.invalid_command', USAGE_MESSAGE);
}

/** Records the screen of this computer, if its owner allows it. */
export const gallery: AgentTool = {
  name: 'gallery',
  accountData: {
    listUnsent: (stateDir) => {
      const count = listCaptures(stateDir).length;
      return count === 0 ? [] : [`${count} ${count === 1 ? 'recording' : 'recordings'}`];
    },
    remove: removeCaptures,
  },
  start: (context) => {
    const { call, print, stateDir, onConnect, onChange, isPaused, isConfirmationRequired } = context;
    const spool = openSpool(stateDir);
    const sender = createCaptureSender({ call, print, spool });
    const recorder = createRecorder({
      context,
      spool,
      now,
      onChange: () => reportCurrentState(),
      onRecorded: () => void sender.send(),
    });
    const reportCurrentState = reportState(context, recorder.getStart);
    const hotkey = listenForHotkey(context, recorder);
    onConnect(() => void sender.send());
    onChange(() => {
      if (isPaused()) void recorder.end();
    });
    return {
      commands: [
        handleCommand(record, async ({ to, by }) => {
          if (to === 'stop') await recorder.stop();
          else if (isConfirmationRequired) throw new Refusal('gallery.confirm_required', CONFIRMATION_REQUIRED_MESSAGE);
          else await recorder.start(undefined, by);
        }),
      ],
      subcommands: [{ name: 'capture', run: async (rest) => runCaptureSubcommand(recorder, rest, hotkey.set) }],
      status: () => {
        const start = recorder.getStart();
        return [
          ...(start === undefined ? [] : [`capture: recording for ${formatMinutesSince(start)}`]),
          ...hotkey.status(),
          ...sender.status(),
        ];
      },
      stop: async () => {
        hotkey.stop();
        await recorder.end();
        sender.stop();
      },
    };
  },
};
