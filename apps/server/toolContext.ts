import type { ServerContext, ServerTool } from '#platform/server/tool.ts';

/**
 * Creates the context of a tool, with only the services that it declares. Reading another one throws, so that a
 * missing declaration is found when the tool starts.
 */
export function createToolContext(all: ServerContext, { name, services }: ServerTool): ServerContext {
  if (services === undefined) return all;
  const context = { ...all };
  for (const service of Object.keys(all) as (keyof ServerContext)[]) {
    if (service === 'log' || service === 'now' || service === 'environment' || services.includes(service)) continue;
    // Not enumerable, so that a copy of the context leaves it out.
    Object.defineProperty(context, service, {
      enumerable: false,
      get: () => {
        throw new Error(`The tool ${name} uses ${service}, which is not among its services`);
      },
    });
  }
  return context;
}
