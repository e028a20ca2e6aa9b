import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{shared,gateway,sandbox,renderer,cli,bench}/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'served',
          include: ['test/**/*.test.ts'],
          exclude: ['test/house.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: { name: 'house', include: ['test/house.test.ts'], testTimeout: 120_000 },
      },
    ],
  },
});
