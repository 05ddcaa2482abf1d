import { useCallback, useEffect, useRef, useState } from 'react';
import { showFailure } from '#platform/web/failure.ts';
import { realtime } from '#platform/web/socket.ts';
import { motion, motionInit } from '../contract.ts';
import {
  accelerationOf,
  afterAct,
  anglesOf,
  MOTION_TICK_MS,
  NOTHING_HELD,
  type Acceleration,
  type Angles,
  type MouseAct,
  type MouseButtons,
} from '../domain/orientation.ts';

/** After that without a reading this device has no sensors. */
const SENSOR_PATIENCE_MS = 1500;
const LEVEL: Angles = { alpha: 0, beta: 0, gamma: 0 };

/** `off` until the first touch; why the phone's tilt moves nothing otherwise. */
export type Tilt = 'off' | 'asking' | 'running' | 'insecure' | 'refused' | 'no sensors';

/** iOS alone asks for leave, and its types are in no library. */
type Asking = { readonly requestPermission?: () => Promise<string> };

const permission = async (): Promise<'granted' | 'insecure' | 'refused'> => {
  if (!window.isSecureContext || typeof DeviceOrientationEvent === 'undefined') return 'insecure';
  const { requestPermission } = DeviceOrientationEvent as Asking;
  if (requestPermission === undefined) return 'granted';
  const said = await requestPermission.call(DeviceOrientationEvent).catch(() => 'denied');
  return said === 'granted' ? 'granted' : 'refused';
};

/** What the sensors said last, without a render for each reading. */
const useSensors = (running: boolean, onReading: () => void) => {
  const last = useRef<{ angles?: Angles; acceleration?: Acceleration }>({});
  useEffect(() => {
    if (!running) return undefined;
    const turned = (event: DeviceOrientationEvent) => {
      const angles = anglesOf(event);
      if (angles === undefined) return;
      last.current.angles = angles;
      onReading();
    };
    const moved = ({ acceleration }: DeviceMotionEvent) => {
      const scaled = acceleration === null ? undefined : accelerationOf(acceleration);
      if (scaled !== undefined) last.current.acceleration = scaled;
    };
    window.addEventListener('deviceorientation', turned);
    window.addEventListener('devicemotion', moved);
    return () => {
      window.removeEventListener('deviceorientation', turned);
      window.removeEventListener('devicemotion', moved);
      last.current = {};
    };
  }, [running, onReading]);
  return last;
};

/** The phone as a mouse: from the first touch on it sends how it is held and what is pressed every 30 ms (specification 1, section 7). */
export const useMotion = (target: string | undefined) => {
  const [held, setHeld] = useState<MouseButtons>(NOTHING_HELD);
  const [tilt, setTilt] = useState<Tilt>('off');
  const buttons = useRef(held);
  const unsent = useRef(false);
  const started = tilt !== 'off';
  const onReading = useCallback(() => setTilt('running'), []);
  const sensors = useSensors(started, onReading);

  const act = useCallback((what: MouseAct) => {
    buttons.current = afterAct(buttons.current, what);
    unsent.current = true;
    setHeld(buttons.current);
  }, []);

  const start = useCallback(async () => {
    setTilt('asking');
    // Asked first of all: iOS wants it within the touch.
    const allowed = await permission();
    setTilt((now) => {
      if (now !== 'asking') return now;
      return allowed === 'granted' ? 'asking' : allowed;
    });
    await realtime.ask(motionInit, target === undefined ? {} : { target }).catch(showFailure);
  }, [target]);

  const stop = useCallback(() => {
    act('all up');
    setTilt('off');
  }, [act]);

  useEffect(() => {
    if (tilt !== 'asking') return undefined;
    const giveUp = setTimeout(() => setTilt('no sensors'), SENSOR_PATIENCE_MS);
    return () => clearTimeout(giveUp);
  }, [tilt]);

  useEffect(() => {
    if (!started) return undefined;
    const tick = setInterval(() => {
      const { angles, acceleration } = sensors.current;
      const { lmb, lift, scroll } = buttons.current;
      // Without sensors there is only something to say while a button is held, and once when it is let go.
      if (angles === undefined && !lmb && !scroll && !unsent.current) return;
      unsent.current = false;
      realtime.emit(motion, {
        orientation: angles ?? LEVEL,
        reset: { lmb, lift, scroll },
        ...(acceleration === undefined ? {} : { acceleration }),
        ...(target === undefined ? {} : { target }),
      });
    }, MOTION_TICK_MS);
    return () => clearInterval(tick);
  }, [started, sensors, target]);

  // A page that is not seen lets everything go.
  useEffect(() => {
    if (!started) return undefined;
    const hidden = () => {
      if (document.visibilityState === 'hidden') stop();
    };
    document.addEventListener('visibilitychange', hidden);
    return () => document.removeEventListener('visibilitychange', hidden);
  }, [started, stop]);

  return { held, tilt, act, start, stop };
};
