import { useCallback, useEffect, useMemo, useState } from 'react';
import { showError } from '#platform/web/app/failure.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { motionInit } from '../../contract.ts';
import {
  NO_BUTTONS_DOWN,
  type Angles,
  type MouseAct,
  type MouseButtons,
  accelerationOf,
  anglesOf,
  type Acceleration,
} from '../../domain/tilt.ts';
import { withToken } from '../typing/deviceEvents.ts';
import { openMotion } from './motionStream.ts';

/** iOS alone asks for leave, and its types are in no library. */
type PermissionRequester = { readonly requestPermission?: () => Promise<string> };

/** Whether the sensors may be read. iOS asks the person, and only within a touch. */
export async function askForSensors(): Promise<'granted' | 'insecure' | 'refused' | 'no sensors'> {
  if (!isSecureContext()) return 'insecure';
  if (typeof DeviceOrientationEvent === 'undefined') return 'no sensors';
  const { requestPermission } = DeviceOrientationEvent as PermissionRequester;
  if (requestPermission === undefined) return 'granted';
  const said = await requestPermission.call(DeviceOrientationEvent).catch(() => 'denied');
  return said === 'granted' ? 'granted' : 'refused';
}

/** Tells of each reading of the sensors while `running`. */
export function useSensors(
  running: boolean,
  onAngles: (angles: Angles) => void,
  onAcceleration: (acceleration: Acceleration) => void,
): void {
  useEffect(() => {
    if (!running) return undefined;
    const turned = (event: DeviceOrientationEvent) => {
      const angles = anglesOf(event);
      if (angles) onAngles(angles);
    };
    const moved = ({ acceleration }: DeviceMotionEvent) => {
      const scaled = acceleration === null ? undefined : accelerationOf(acceleration);
      if (scaled) onAcceleration(scaled);
    };
    window.addEventListener('deviceorientation', turned);
    window.addEventListener('devicemotion', moved);
    return () => {
      window.removeEventListener('deviceorientation', turned);
      window.removeEventListener('devicemotion', moved);
    };
  }, [running, onAngles, onAcceleration]);
}

/** After that without a reading this device has no sensors. */
const SENSOR_TIMEOUT_MS = 1500;

/** `off` until it is started; why the phone's tilt moves nothing otherwise. */
export type Tilt = 'off' | 'asking' | 'running' | 'insecure' | 'refused' | 'no sensors';

/** Whether tilting moves the pointer, or may once it is started. */
export function canTilt(tilt: Tilt): boolean {
  return tilt === 'off' || tilt === 'asking' || tilt === 'running';
}

export interface Motion {
  readonly held: MouseButtons;
  readonly tilt: Tilt;
  readonly act: (what: MouseAct) => void;
  readonly start: () => void;
  readonly stop: () => void;
  /** However the phone is held now is the new zero, and the pointer stands in the middle. */
  readonly recenter: () => void;
}

/** The phone as a mouse, from its start on. */
export function useMotion(target: string | undefined, sensitivity: number): Motion {
  const [held, setHeld] = useState<MouseButtons>(NO_BUTTONS_DOWN);
  const [tilt, setTilt] = useState<Tilt>(() => (isSecureContext() ? 'off' : 'insecure'));
  const [started, setStarted] = useState(false);
  const stream = useMemo(() => openMotion(), []);

  useEffect(() => stream.aim({ target, sensitivity }), [stream, target, sensitivity]);
  const onAngles = useCallback(
    (angles: Angles) => {
      setTilt('running');
      stream.turned(angles);
    },
    [stream],
  );
  useSensors(started, onAngles, stream.moved);

  const begin = async (): Promise<void> => {
    setStarted(true);
    // Asked first of all: iOS wants it within the touch.
    const allowed = await askForSensors();
    setTilt((before) => {
      if (before === 'running') return before;
      return allowed === 'granted' ? 'asking' : allowed;
    });
    await realtime.request(motionInit, { ...(target !== undefined && { target }), ...withToken() }).catch(showError);
  };
  const stop = useCallback(() => {
    setHeld(stream.stop());
    setStarted(false);
    setTilt((before) => (canTilt(before) ? 'off' : before));
  }, [stream]);

  useEffect(() => {
    if (tilt !== 'asking') return undefined;
    const giveUp = setTimeout(() => setTilt('no sensors'), SENSOR_TIMEOUT_MS);
    return () => clearTimeout(giveUp);
  }, [tilt]);

  // A page that is not seen, or left, lets everything go.
  useEffect(() => {
    const hidden = () => {
      if (document.visibilityState === 'hidden') stop();
    };
    document.addEventListener('visibilitychange', hidden);
    return () => {
      stream.stop();
      document.removeEventListener('visibilitychange', hidden);
    };
  }, [stream, stop]);
  useEffect(() => {
    if (started) stream.start();
  }, [started, stream]);

  return {
    held,
    tilt,
    act: (what) => setHeld(stream.act(what)),
    start: () => void begin(),
    stop,
    recenter: stream.recenter,
  };
}
