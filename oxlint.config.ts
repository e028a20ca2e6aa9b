import { defineConfig } from 'oxlint';

/** The house plan: which rooms a room may look into. Anything not listed is a wall. */
const MAY_LOOK_INTO: Record<string, readonly string[]> = {
  shared: [],
  sandbox: [],
  gateway: ['shared'],
  renderer: ['shared'],
  host: ['shared', 'gateway', 'sandbox'],
  electron: ['shared', 'gateway', 'host', 'sandbox'],
  cli: ['shared', 'gateway', 'host', 'sandbox'],
  // The packed program is both shells in one.
  launcher: ['host', 'cli', 'electron'],
};
const ROOMS = Object.keys(MAY_LOOK_INTO);

/** The rooms inside the gateway. They meet only through the file named like the folder; `gateway.ts` wires them. */
const GATEWAY_ROOMS = [
  'proxy',
  'usage',
  'history',
  'models',
  'keys',
  'clients',
  'upstreams',
  'store',
  'settings',
  'api',
  'engine',
  'videos',
  'images',
  'chat',
  'backup',
];

function foreignRooms(room: string, open: readonly string[]) {
  return ROOMS.filter((other) => other !== room && !open.includes(other)).map((other) => ({
    group: [`**/${other}/**`],
    message: `${room}/ must not look into ${other}/.`,
  }));
}

function innerRooms(room: string) {
  return GATEWAY_ROOMS.filter((other) => other !== room).map((other) => ({
    group: [`../${other}/*`, `../../${other}/*`, `!**/${other}/${other}.ts`],
    message: `Only ${other}/${other}.ts may be imported from outside ${other}/.`,
  }));
}

const electronOnly = [{ name: 'electron', message: 'Only electron/ may touch Electron.' }];

/** The one file that starts programs, and so decides about their environment. */
const STARTS_PROGRAMS = 'host/process/child-process.ts';
const noPrograms = ['node:child_process', 'child_process'].map((name) => ({
  name,
  message: `Programs are started by ${STARTS_PROGRAMS} alone, which keeps keys out of their environment.`,
}));

const walls = Object.entries(MAY_LOOK_INTO).map(([room, open]) => ({
  files: [`${room}/**/*.{ts,tsx}`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: room === 'electron' ? noPrograms : [...electronOnly, ...noPrograms],
        patterns: foreignRooms(room, open),
      },
    ] as const,
  },
}));

const gatewayWalls = GATEWAY_ROOMS.map((room) => ({
  files: [`gateway/${room}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: [...electronOnly, ...noPrograms],
        patterns: [...foreignRooms('gateway', ['shared']), ...innerRooms(room)],
      },
    ] as const,
  },
}));

const sharedWall = {
  files: ['shared/**/*.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: ['*', '!zod', '!@orpc/contract', '!./**'],
            message: 'shared/ may import zod, @orpc/contract and its own files only.',
          },
        ],
      },
    ] as const,
  },
};

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise'],
  categories: { correctness: 'error', suspicious: 'error' },
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  rules: {
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
    'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    'max-params': ['error', { max: 3 }],
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/consistent-type-imports': 'error',
    // tsc and switch-exhaustiveness-check already watch this, and it contradicts exhaustive switches.
    'typescript/consistent-return': 'off',
  },
  overrides: [
    ...walls,
    ...gatewayWalls,
    sharedWall,
    {
      files: ['build/**/*.ts'],
      rules: { 'no-restricted-imports': ['error', { paths: noPrograms }] as const },
    },
    {
      files: [STARTS_PROGRAMS],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            paths: electronOnly,
            patterns: foreignRooms('host', MAY_LOOK_INTO['host'] ?? []),
          },
        ] as const,
      },
    },
    {
      files: ['renderer/**/*.{ts,tsx}'],
      plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'react', 'jsx-a11y'],
      rules: {
        'react/rules-of-hooks': 'error',
        'react/exhaustive-deps': 'error',
        // The compiler's own JSX runtime needs no import.
        'react/react-in-jsx-scope': 'off',
        // Style sheets are imported for what they do.
        'import/no-unassigned-import': ['error', { allow: ['**/*.css'] }],
      },
    },
    { files: ['**/*.config.ts'], rules: { 'import/no-default-export': 'off' } },
    {
      files: ['**/*.{test,spec}.ts'],
      rules: { 'max-lines-per-function': 'off', 'max-lines': 'off' },
    },
  ],
});
