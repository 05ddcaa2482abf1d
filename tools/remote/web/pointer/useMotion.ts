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
  toAcceleration,
  toAngles,
  type Acceleration,
} from '../../domain/tilt.ts';
import { withToken } from '../typing/deviceEvents.ts';
import { openMotion } from './motionStream.ts';

/** Only iOS asks for permission, and no library has types for it. */
type PermissionRequester = { readonly requestPermission?: () => Promise<string> };

/** Returns whether the sensors may be read. iOS asks the user, and only during a touch. */
export async function askForSensors(): Promise<'granted' | 'insecure' | 'refused' | 'no sensors'> {
  if (!isSecureContext()) return 'insecure';
  if (typeof DeviceOrientationEvent === 'undefined') return 'no sensors';
  const { requestPermission } = DeviceOrientationEvent as PermissionRequester;
  if (requestPermission === undefined) return 'granted';
  const permission = await requestPermission.call(DeviceOrientationEvent).catch(() => 'denied');
  return permission === 'granted' ? 'granted' : 'refused';
}

/** Reports each reading of the sensors while `running`. */
export function useSensors(
  running: boolean,
  onAngles: (angles: Angles) => void,
  onAcceleration: (acceleration: Acceleration) => void,
): void {
  useEffect(() => {
    if (!running) return undefined;
    const handleOrientation = (event: DeviceOrientationEvent) => {
      const angles = toAngles(event);
      if (angles) onAngles(angles);
    };
    const handleMotion = ({ acceleration }: DeviceMotionEvent) => {
      const scaled = acceleration === null ? undefined : toAcceleration(acceleration);
      if (scaled) onAcceleration(scaled);
    };
    window.addEventListener('deviceorientation', handleOrientation);
    window.addEventListener('devicemotion', handleMotion);
    return () => {
      window.removeEventListener('deviceorientation', handleOrientation);
      window.removeEventListener('devicemotion', handleMotion);
    };
  }, [running, onAngles, onAcceleration]);
}

/** Without a reading within this time, the device has no sensors. */
const SENSOR_TIMEOUT_MS = 1500;

/** `off` until it is started; the other values say why tilting does not move the pointer. */
export type Tilt = 'off' | 'asking' | 'running' | 'insecure' | 'refused' | 'no sensors';

/** Whether tilting moves the pointer, or can once it is started. */
export function canTilt(tilt: Tilt): boolean {
  return tilt === 'off' || tilt === 'asking' || tilt === 'running';
}

export interface Motion {
  readonly held: MouseButtons;
  readonly tilt: Tilt;
  readonly act: (what: MouseAct) => void;
  readonly start: () => void;
  readonly stop: () => void;
  /** Makes the current orientation the new zero and moves the pointer to the middle. */
  readonly recenter: () => void;
}

/** Uses the phone as a mouse once it is started. */
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
    // Requested first, because iOS requires it during the touch.
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
    const timeout = setTimeout(() => setTilt('no sensors'), SENSOR_TIMEOUT_MS);
    return () => clearTimeout(timeout);
  }, [tilt]);

  // Everything is released when the page is hidden or left.
  useEffect(() => {
    const handleVisibilityChange = () => {
      if (document.visibilityState === 'hidden') stop();
    };
    document.addEventListener('visibilitychange', handleVisibilityChange);
    return () => {
      stream.stop();
      document.removeEventListener('visibilitychange', handleVisibilityChange);
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
