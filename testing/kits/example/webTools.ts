import { example } from '#tools/example/web/index.ts';
import { webTools as shippedTools } from '../../../apps/web/tools.ts';

/** The tools of the site with the example, in place of apps/web/tools.ts. */
export const webTools = [...shippedTools, example];
