import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ServerContext } from '#platform/server/tool.ts';
import { createToolContext } from '#platform/server/tool.ts';
import { serverTools } from './tools.ts';

const allServices = { database: 'a database', push: 'push', log: 'a log', now: 'a clock', environment: {} };
const context = allServices as unknown as ServerContext;

test("a tool gets the services that it declares, and can't read others", () => {
  const toolContext = createToolContext(context, {
    name: 'notes',
    services: ['database'],
    migrations: [],
    start: () => ({ calls: [] }),
  });
  expect(toolContext.database).toBe('a database');
  expect(() => toolContext.push).toThrow('The tool notes uses push, which is not among its services');
  expect({ ...toolContext }).toEqual({ database: 'a database', log: 'a log', now: 'a clock', environment: {} });
});

test('a tool without a declaration gets all services', () => {
  const tool = { name: 'probe', migrations: [], start: () => ({ calls: [] }) };
  expect(createToolContext(context, tool)).toEqual(allServices);
});

test.each(serverTools.map((tool) => [tool.name, tool] as const))(
  '%s declares its services, and none that it does not use',
  (name, { services }) => {
    const files = globSync([`tools/${name}/server/**/*.ts`, `tools/${name}/*/server/**/*.ts`], {
      exclude: ['**/*.test.ts'],
    });
    const text = files.map((path) => readFileSync(path, 'utf8').replaceAll(/services: \[[^\]]*\]/g, '')).join('\n');
    const unused = services?.filter((service) => !new RegExp(`\\b${service}\\b`).test(text));
    expect(unused).toEqual([]);
  },
);
