import { handleCommand, type AgentContext, type AgentTool } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { captureState, record } from '../contract.ts';
import { regionFrom, type Region } from '../domain/captureHotkey.ts';
import { type CaptureHotkey, listenForHotkey } from './captureHotkey.ts';
import { capturesIn, dropCaptures, openSpool, createCaptureSender } from './captureSpool.ts';
import { createRecorder, type Recorder } from './recorder.ts';

const HOW = 'Say `capture start`, `capture stop` or `capture hotkey Ctrl+Alt+R`';
const ASK_THERE = 'That computer asks first: start the recording there, with `agent capture start`';

const regionIn = (rest: readonly string[]): Region | undefined => {
  if (rest.length === 0) return undefined;
  const region = rest[0] === '--region' && rest.length === 2 ? regionFrom(rest[1] ?? '') : undefined;
  if (!region) throw new Refusal('Say which part as --region X,Y,WxH, such as --region 0,0,1280x720');
  return region;
};

const now = (): Date => new Date();

/** Tells the server whether this screen is being recorded: on every connection, and when that changes. */
const reportState = ({ report, onConnect }: AgentContext, since: () => number | undefined): (() => void) => {
  const tell = (): void => {
    const began = since();
    const seconds = began === undefined ? 0 : Math.max(0, Math.round((now().getTime() - began) / 1000));
    // Where it does not arrive, the next connection says it again.
    report(captureState, { isRecording: began !== undefined, seconds }).catch(() => undefined);
  };
  onConnect(tell);
  return tell;
};

const minutesSince = (since: number): string => `${Math.max(0, Math.round((now().getTime() - since) / 60_000))} min`;

const captureWord = async (recorder: Recorder, rest: readonly string[], setHotkey: CaptureHotkey['set']) => {
  const [what, ...more] = rest;
  if (what === 'start') {
    await recorder.start(regionIn(more), '');
    return ['Recording this screen; `capture stop` ends it'];
  }
  if (what === 'stop' && more.length === 0) {
    const isOver = await recorder.stop();
    return [isOver ? 'The recording has ended, and is sent' : 'The recording ends, and is sent then'];
  }
  const [keys, ...region] = more;
  if (what === 'hotkey' && keys !== undefined) return [setHotkey(keys, regionIn(region))];
  throw new Refusal(HOW);
};

/** Recordings of this computer's screen, as far as its owner lets anybody make them. */
export const gallery: AgentTool = {
  name: 'gallery',
  keep: {
    listUnsent: (stateDir) => {
      const count = capturesIn(stateDir).length;
      return count === 0 ? [] : [`${count} ${count === 1 ? 'recording' : 'recordings'}`];
    },
    remove: dropCaptures,
  },
  start: (ground) => {
    const { call, print, stateDir, onConnect, onChange, isPaused, isConfirmationRequired } = ground;
    const spool = openSpool(stateDir);
    const sender = createCaptureSender({ call, print, spool });
    const recorder = createRecorder({
      ground,
      spool,
      now,
      changed: () => tellState(),
      recorded: () => void sender.send(),
    });
    const tellState = reportState(ground, recorder.since);
    const hotkey = listenForHotkey(ground, recorder);
    onConnect(() => void sender.send());
    onChange(() => {
      if (isPaused()) void recorder.end();
    });
    return {
      commands: [
        handleCommand(record, async ({ to, by }) => {
          if (to === 'stop') await recorder.stop();
          else if (isConfirmationRequired) throw new Refusal(ASK_THERE);
          else await recorder.start(undefined, by);
          return {};
        }),
      ],
      words: [{ name: 'capture', run: async (rest) => captureWord(recorder, rest, hotkey.set) }],
      status: () => {
        const since = recorder.since();
        return [
          ...(since === undefined ? [] : [`capture: recording for ${minutesSince(since)}`]),
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
