import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** One forbidden thing, where it is planted (at the end of the file, if it is there), and which check must name it. */
interface Plant {
  readonly wall: string;
  readonly file: string;
  readonly code: string;
  readonly caughtBy: 'lint' | 'types' | 'unused';
  readonly says: RegExp;
}

/** The rooms inside the gateway. */
const ROOMS = readdirSync(join(ROOT, 'gateway'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** One room that looks past the door of another. */
function lookInside(room: string, other: string): Plant {
  const inside = readdirSync(join(ROOT, 'gateway', other)).find(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== `${other}.ts`,
  );
  return {
    wall: `gateway/${room} meets gateway/${other} at its door only`,
    file: `gateway/${room}/planted-inside.ts`,
    code: `export * from '../${other}/${inside}';\n`,
    caughtBy: 'lint',
    says: /no-restricted-imports/,
  };
}

const longFunction = `export function long(): number {\n${'  Math.random();\n'.repeat(61)}  return 1;\n}\n`;

const PLANTS: readonly Plant[] = [
  {
    wall: 'shared/ knows no room',
    file: 'shared/planted-room.ts',
    code: "export { openStore } from '../gateway/store/store.ts';\n",
    caughtBy: 'lint',
    says: /no-restricted-imports/,
  },
  {
    wall: 'shared/ knows no Node',
    file: 'shared/planted-node.ts',
    code: "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n",
    caughtBy: 'types',
    says: /TS2591|TS2307/,
  },
  {
    wall: 'sandbox/ shares nothing, not even shared/',
    file: 'sandbox/planted-shared.ts',
    code: "export { PROBLEMS } from '../shared/problem.ts';\n",
    caughtBy: 'lint',
    says: /no-restricted-imports/,
  },
  {
    wall: 'gateway/ does not know the sandbox',
    file: 'gateway/planted-sandbox.ts',
    code: "export { openSandbox } from '../sandbox/server.ts';\n",
    caughtBy: 'types',
    says: /TS6307|TS6059/,
  },
  {
    wall: 'gateway/ does not know a shell, also not its types',
    file: 'gateway/planted-cli.ts',
    code: "export type { SecretStore } from '../cli/process/keychain.ts';\n",
    caughtBy: 'lint',
    says: /no-restricted-imports/,
  },
  {
    wall: 'host/ does not know the shells that use it',
    file: 'host/planted-cli.ts',
    code: "export { openTerminal } from '../cli/output/terminal.ts';\n",
    caughtBy: 'lint',
    says: /no-restricted-imports/,
  },
  {
    wall: 'one shell does not look into the other',
    file: 'electron/planted-cli.ts',
    code: "export { openTerminal } from '../cli/output/terminal.ts';\n",
    caughtBy: 'lint',
    says: /no-restricted-imports/,
  },
  {
    wall: 'gateway/ does not know Electron',
    file: 'gateway/planted-electron.ts',
    code: "export { app } from 'electron';\n",
    caughtBy: 'lint',
    says: /no-restricted-imports/,
  },
  ...['gateway/chat', 'host', 'cli', 'electron', 'build'].map((room): Plant => ({
    wall: `${room}/ starts no program by itself`,
    file: `${room}/planted-program.ts`,
    code: "export { spawn } from 'node:child_process';\n",
    caughtBy: 'lint',
    says: /no-restricted-imports/,
  })),
  ...ROOMS.map((room, index) => lookInside(room, ROOMS[(index + 1) % ROOMS.length] ?? '')),
  {
    wall: 'a shell does not look into the page',
    file: 'cli/planted-renderer.ts',
    code: "export { app } from '../renderer/app.tsx';\n",
    caughtBy: 'lint',
    says: /no-restricted-imports/,
  },
  {
    wall: 'Electron does not look into the page',
    file: 'electron/planted-renderer.ts',
    code: "export { app } from '../renderer/app.tsx';\n",
    caughtBy: 'lint',
    says: /no-restricted-imports/,
  },
  {
    wall: 'the page does not look into the gateway',
    file: 'renderer/planted-gateway.ts',
    code: "export { openStore } from '../gateway/store/store.ts';\n",
    caughtBy: 'lint',
    says: /no-restricted-imports/,
  },
  {
    wall: 'the page knows no Node',
    file: 'renderer/planted-node.ts',
    code: "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n",
    caughtBy: 'types',
    says: /TS2591|TS2307/,
  },
  {
    wall: 'the page keeps the rules of hooks',
    file: 'renderer/planted-hook.tsx',
    code: "import { useState } from 'react';\nexport function usePlanted(on: boolean) {\n  if (on) useState(0);\n}\n",
    caughtBy: 'lint',
    says: /rules-of-hooks/,
  },
  {
    wall: 'no file of the page is unused',
    file: 'renderer/planted-unused.tsx',
    code: 'export const nobodyShowsThis = 1;\n',
    caughtBy: 'unused',
    says: /planted-unused/,
  },
  {
    wall: 'the DOM stays out of the gateway',
    file: 'gateway/planted-dom.ts',
    code: 'export const title = document.title;\n',
    caughtBy: 'types',
    says: /TS2584|TS2304/,
  },
  {
    wall: 'no import cycles',
    file: 'gateway/planted-cycle.ts',
    code: "export { gateway } from './planted-cycle-back.ts';\nexport const cycle = 1;\n",
    caughtBy: 'lint',
    says: /no-cycle/,
  },
  {
    wall: 'no floating promises',
    file: 'gateway/planted-floating.ts',
    code: 'export function begin(): void {\n  Promise.resolve(1);\n}\n',
    caughtBy: 'lint',
    says: /no-floating-promises/,
  },
  {
    wall: 'no any',
    file: 'gateway/planted-any.ts',
    code: 'export const anything: any = 1;\n',
    caughtBy: 'lint',
    says: /no-explicit-any/,
  },
  {
    wall: 'at most three parameters',
    file: 'gateway/planted-params.ts',
    code: 'export function many(a: number, b: number, c: number, d: number): number {\n  return a + b + c + d;\n}\n',
    caughtBy: 'lint',
    says: /max-params/,
  },
  {
    wall: 'functions of at most 60 lines',
    file: 'gateway/planted-long-function.ts',
    code: longFunction,
    caughtBy: 'lint',
    says: /max-lines-per-function/,
  },
  {
    wall: 'files of at most 300 lines',
    file: 'gateway/planted-long-file.ts',
    code: Array.from({ length: 301 }, (_, i) => `export const line${i} = ${i};\n`).join(''),
    caughtBy: 'lint',
    says: /max-lines/,
  },
  {
    wall: 'no default exports',
    file: 'gateway/planted-default.ts',
    code: 'const one = 1;\nexport default one;\n',
    caughtBy: 'lint',
    says: /no-default-export/,
  },
  {
    wall: 'every kind of a union is handled',
    file: 'gateway/planted-switch.ts',
    code: "export function f(kind: 'a' | 'b'): number {\n  switch (kind) {\n    case 'a':\n      return 1;\n  }\n  return 0;\n}\n",
    caughtBy: 'lint',
    says: /switch-exhaustiveness-check/,
  },
  {
    wall: 'no file is unused',
    file: 'gateway/planted-unused.ts',
    code: 'export const nobodyNeedsThis = 1;\n',
    caughtBy: 'unused',
    says: /planted-unused/,
  },
  {
    wall: 'no file of the tests is unused',
    file: 'test/ui/planted-unused.ts',
    code: 'export const nobodyTestsWithThis = 1;\n',
    caughtBy: 'unused',
    says: /planted-unused/,
  },
  {
    wall: 'no expectation at the window is left unawaited',
    file: 'test/ui/planted.spec.ts',
    code: "import { expect, test } from './kit.ts';\ntest('a', async ({ page }) => {\n  expect(page).toHaveTitle('b');\n});\n",
    caughtBy: 'lint',
    says: /no-floating-promises/,
  },
  {
    wall: 'no export is unused',
    file: 'gateway/keys/service-key.ts',
    code: 'export const nobodyNeedsThat = 1;\n',
    caughtBy: 'unused',
    says: /nobodyNeedsThat/,
  },
];

const SOURCES =
  /^(?:shared|sandbox|gateway|renderer|host|cli|electron|launcher|build|bench|test|package\.json|knip\.json|tsconfig.*\.json|.*\.config\.ts|\.gitignore)(?:\/|$)/;

/** Where each check complained, by planted file. */
const findings: Record<Plant['caughtBy'], string> = { lint: '', types: '', unused: '' };
let copy = '';

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'gatehouse-walls-'));
  await cp(ROOT, copy, {
    recursive: true,
    filter: (source) => source === ROOT || SOURCES.test(source.slice(ROOT.length + 1)),
  });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  await writeFile(
    join(copy, 'gateway/planted-cycle-back.ts'),
    "import { cycle } from './planted-cycle.ts';\nexport const gateway = cycle;\n",
  );
  for (const { file, code } of PLANTS) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await appendFile(join(copy, file), code);
  }
  const [lint, types, unused] = await Promise.all([
    run('oxlint', ['--format', 'unix']),
    run('tsc', ['-b', '--pretty', 'false']),
    run('knip', ['--reporter', 'compact']),
  ]);
  Object.assign(findings, { lint, types, unused });
}, 120_000);

afterAll(() => rm(copy, { recursive: true, force: true }));

describe('the walls hold', () => {
  test('every room of the gateway is tried', () => {
    expect(ROOMS).toHaveLength(15);
  });

  test.each(PLANTS)('$wall', ({ file, caughtBy, says }) => {
    const complaints = findings[caughtBy].split('\n').filter((line) => line.includes(file));
    expect(complaints.join('\n')).toMatch(says);
  });
});

function run(tool: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const bin = join(copy, 'node_modules/.bin', tool);
    execFile(bin, args, { cwd: copy, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => {
      resolve(stdout + stderr);
    });
  });
}
