// `npm run test:desktops`: desktops that are too large for `npm test`.
import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

export default defineConfig({
  ...base,
  test: { ...base.test, include: ['**/*.desktop.ts'], exclude: ['**/node_modules/**'] },
});
