import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { QueryState } from './QueryState.tsx';
import { Slider } from './Slider.tsx';
import { Switch } from './Switch.tsx';

const render = (node: ReactNode): string => renderToStaticMarkup(node);
const ignore = (): undefined => undefined;

test('a slider fills its track up to the value', () => {
  expect(render(<Slider label="Speed" min={-10} max={10} value={5} />)).toContain('--p:75%');
});

test('a value out of range puts the handle at the end', () => {
  const slider = render(<Slider label="Every" min={1} max={10} value={40} aria-valuetext="40 weeks" />);
  expect(slider).toContain('value="10"');
  expect(slider).toContain('--p:100%');
  expect(slider).toContain('aria-valuetext="40 weeks"');
});

test('a slider without a range is empty', () => {
  expect(render(<Slider label="Milk" max={0} value={0} disabled />)).toContain('--p:0%');
});

test('a slider without a value leaves its fill to the caller', () => {
  expect(render(<Slider label="Position" defaultValue={0} />)).not.toContain('--p');
});

test('a switch has its state and its name', () => {
  const on = render(<Switch label="On" aria-label="Repeat" isOn onChange={ignore} />);
  expect(on).toContain('role="switch"');
  expect(on).toContain('aria-checked="true"');
  expect(on).toContain('aria-label="Repeat"');
  expect(render(<Switch label="Public" isOn={false} onChange={ignore} />)).toContain('aria-checked="false"');
});

const renderQuery = (query: { readonly data: unknown; readonly error: Error | null }): string =>
  render(
    <MantineProvider>
      <QueryState query={{ ...query, refetch: ignore }} loading="Loading" />
    </MantineProvider>,
  );

test('a failed query shows why, with a button that tries again', () => {
  const failed = renderQuery({ data: undefined, error: new Error('Could not reach the server') });
  expect(failed).toMatch(/role="alert".*Could not reach the server.*Try again/s);
});

test('a query without data shows that it is loading', () => {
  expect(renderQuery({ data: undefined, error: null })).toContain('Loading');
});

test('old data stays in view when a later attempt fails', () => {
  const stale = renderQuery({ data: [], error: new Error('Could not reach the server') });
  expect(stale).not.toContain('Loading');
  expect(stale).not.toContain('Could not reach the server');
});
