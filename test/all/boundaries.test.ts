import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GATEWAY_MODULES } from '../../gateway-modules.ts';
import { SHARED_FOLDERS } from '../../oxlint.config.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** A forbidden import, the file that it is written to (appended if the file exists), and the check that must report it. */
interface Violation {
  readonly rule: string;
  readonly file: string;
  readonly code: string;
  readonly reportedBy: 'lint' | 'types' | 'unused';
  readonly message: RegExp;
}

/** The modules of the gateway. */
const MODULES = readdirSync(join(ROOT, 'gateway'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
/** Entry files of a module, without their ending; `*` for all its files. */
const entriesOf = (module: string) => GATEWAY_MODULES[module]?.entries ?? [module];
const CLOSED_MODULES = MODULES.filter((name) => !entriesOf(name).includes('*'));

/** An import of a file that is not an entry of its module. */
function importInside(module: string, index: number): Violation {
  const others = CLOSED_MODULES.filter((name) => name !== module && name !== 'settings');
  const other = others[index % others.length] ?? '';
  const inside = readdirSync(join(ROOT, 'gateway', other)).findLast(
    (file) =>
      file.endsWith('.ts') &&
      !file.endsWith('.test.ts') &&
      !entriesOf(other).includes(basename(file, '.ts')),
  );
  return {
    rule: `gateway/${module} imports only entry files of gateway/${other}`,
    file: `gateway/${module}/planted-inside.ts`,
    code: `export * from '../${other}/${inside}';\n`,
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  };
}
const longFunction = `export function long(): number {\n${'  Math.random();\n'.repeat(61)}  return 1;\n}\n`;

const VIOLATIONS: readonly Violation[] = [
  {
    rule: 'shared/ imports from no other directory',
    file: 'shared/planted-directory.ts',
    code: "export { openStore } from '../gateway/store/store.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'a folder of shared/ imports only from lower ones',
    file: 'shared/compare/planted-folder.ts',
    code: "export { KEY_VARIABLE } from '../request-code/code-request.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'shared/ has no Node',
    file: 'shared/planted-node.ts',
    code: "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n",
    reportedBy: 'types',
    message: /TS2591|TS2307/,
  },
  {
    rule: 'sandbox/ imports nothing, not even shared/',
    file: 'sandbox/planted-shared.ts',
    code: "export { PROBLEMS } from '../shared/problem.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'gateway/ does not import the sandbox',
    file: 'gateway/planted-sandbox.ts',
    code: "export { openSandbox } from '../sandbox/server.ts';\n",
    reportedBy: 'types',
    message: /TS6307|TS6059/,
  },
  {
    rule: 'gateway/ imports no shell, not even its types',
    file: 'gateway/planted-cli.ts',
    code: "export type { SecretStore } from '../cli/process/keychain.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'host/ imports no shell',
    file: 'host/planted-cli.ts',
    code: "export { openTerminal } from '../cli/output/terminal.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'one shell does not import from the other',
    file: 'electron/planted-cli.ts',
    code: "export { openTerminal } from '../cli/output/terminal.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'gateway/ does not import Electron',
    file: 'gateway/planted-electron.ts',
    code: "export { app } from 'electron';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  ...['gateway/chat', 'host', 'cli', 'electron', 'build'].map((directory): Violation => ({
    rule: `${directory}/ starts no program by itself`,
    file: `${directory}/planted-program.ts`,
    code: "export { spawn } from 'node:child_process';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  })),
  ...MODULES.map((module, index) => importInside(module, index)),
  {
    rule: 'a module of the gateway imports only from modules below it',
    file: 'gateway/http/planted-upwards.ts',
    code: "export { openHistory } from '../history/history.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'files in the folders of a module keep to its boundary, too',
    file: 'gateway/videos/run/planted-deep.ts',
    code: "export { openChat } from '../../chat/chat.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'files in the folders of such a folder keep to it as well',
    file: 'gateway/proxy/repair/path/planted-deeper.ts',
    code: "export { openVideos } from '../../../videos/videos.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'a module does not import what is built from it',
    file: 'gateway/lib/planted-root.ts',
    code: "export { openRepositories } from '../repositories.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'the errors of the gateway import no module',
    file: 'gateway/errors.ts',
    code: "export { openHistory } from './history/history.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'the build does not import the page',
    file: 'build/planted-renderer.ts',
    code: "export { app } from '../renderer/app.tsx';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'the benchmarks import no shell',
    file: 'bench/planted-cli.ts',
    code: "export { openTerminal } from '../cli/output/terminal.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'a shell imports only the listed entry files of the gateway',
    file: 'cli/planted-gateway.ts',
    code: "export { LIMITS } from '../gateway/proxy/proxy.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'a shell does not import the page',
    file: 'cli/planted-renderer.ts',
    code: "export { app } from '../renderer/app.tsx';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'Electron does not import the page',
    file: 'electron/planted-renderer.ts',
    code: "export { app } from '../renderer/app.tsx';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'the page does not import the gateway',
    file: 'renderer/planted-gateway.ts',
    code: "export { openStore } from '../gateway/store/store.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'a screen does not import from another screen',
    file: 'renderer/screens/quick/planted-screen.ts',
    code: "export { ChatSearch } from '../chat/search.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'files in the folders of a screen do not either',
    file: 'renderer/screens/settings/sections/planted-screen.ts',
    code: "export { ChatSearch } from '../../chat/search.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'folders within the folders of a screen do not either',
    file: 'renderer/screens/history/detail/bodies/planted-screen.ts',
    code: "export { ChatSearch } from '../../../chat/search.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'what screens share imports no screen',
    file: 'renderer/chat/store/planted-screen.ts',
    code: "export { ChatSearch } from '../screens/chat/search.ts';\n",
    reportedBy: 'lint',
    message: /no-restricted-imports/,
  },
  {
    rule: 'the page has no Node',
    file: 'renderer/planted-node.ts',
    code: "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n",
    reportedBy: 'types',
    message: /TS2591|TS2307/,
  },
  {
    rule: 'the page keeps the rules of hooks',
    file: 'renderer/planted-hook.tsx',
    code: "import { useState } from 'react';\nexport function usePlanted(on: boolean) {\n  if (on) useState(0);\n}\n",
    reportedBy: 'lint',
    message: /rules-of-hooks/,
  },
  {
    rule: 'no file of the page is unused',
    file: 'renderer/planted-unused.tsx',
    code: 'export const nobodyShowsThis = 1;\n',
    reportedBy: 'unused',
    message: /planted-unused/,
  },
  {
    rule: 'the DOM stays out of the gateway',
    file: 'gateway/planted-dom.ts',
    code: 'export const title = document.title;\n',
    reportedBy: 'types',
    message: /TS2584|TS2304/,
  },
  {
    rule: 'no import cycles',
    file: 'gateway/planted-cycle.ts',
    code: "export { gateway } from './planted-cycle-back.ts';\nexport const cycle = 1;\n",
    reportedBy: 'lint',
    message: /no-cycle/,
  },
  {
    rule: 'no import cycles of types',
    file: 'gateway/planted-type-cycle.ts',
    code: "import type { Back } from './planted-type-cycle-back.ts';\nexport interface Cycle {\n  readonly back: Back;\n}\n",
    reportedBy: 'lint',
    message: /no-cycle/,
  },
  {
    rule: 'no floating promises',
    file: 'gateway/planted-floating.ts',
    code: 'export function begin(): void {\n  Promise.resolve(1);\n}\n',
    reportedBy: 'lint',
    message: /no-floating-promises/,
  },
  {
    rule: 'no any',
    file: 'gateway/planted-any.ts',
    code: 'export const anything: any = 1;\n',
    reportedBy: 'lint',
    message: /no-explicit-any/,
  },
  {
    rule: 'at most four parameters',
    file: 'gateway/planted-params.ts',
    code: 'export function many(a: number, b: number, c: number, d: number, e: number): number {\n  return a + b + c + d + e;\n}\n',
    reportedBy: 'lint',
    message: /max-params/,
  },
  {
    rule: 'functions of at most 60 lines',
    file: 'gateway/planted-long-function.ts',
    code: longFunction,
    reportedBy: 'lint',
    message: /max-lines-per-function/,
  },
  {
    rule: 'files of at most 300 lines',
    file: 'gateway/planted-long-file.ts',
    code: Array.from({ length: 301 }, (_, i) => `export const line${i} = ${i};\n`).join(''),
    reportedBy: 'lint',
    message: /max-lines/,
  },
  {
    rule: 'no default exports',
    file: 'gateway/planted-default.ts',
    code: 'const one = 1;\nexport default one;\n',
    reportedBy: 'lint',
    message: /no-default-export/,
  },
  {
    rule: 'every kind of a union is handled',
    file: 'gateway/planted-switch.ts',
    code: "export function f(kind: 'a' | 'b'): number {\n  switch (kind) {\n    case 'a':\n      return 1;\n  }\n  return 0;\n}\n",
    reportedBy: 'lint',
    message: /switch-exhaustiveness-check/,
  },
  {
    rule: 'no file is unused',
    file: 'gateway/planted-unused.ts',
    code: 'export const nobodyNeedsThis = 1;\n',
    reportedBy: 'unused',
    message: /planted-unused/,
  },
  {
    rule: 'no file of the tests is unused',
    file: 'test/kit/planted-unused.ts',
    code: 'export const nobodyTestsWithThis = 1;\n',
    reportedBy: 'unused',
    message: /planted-unused/,
  },
  {
    rule: 'no expectation at the window is left unawaited',
    file: 'test/all/ui/planted.spec.ts',
    code: "import { expect, test } from '../../kit/ui/kit.ts';\ntest('a', async ({ page }) => {\n  expect(page).toHaveTitle('b');\n});\n",
    reportedBy: 'lint',
    message: /no-floating-promises/,
  },
  {
    rule: 'no export is unused',
    file: 'gateway/keys/service-key.ts',
    code: 'export const nobodyNeedsThat = 1;\n',
    reportedBy: 'unused',
    message: /nobodyNeedsThat/,
  },
];

const SOURCES =
  /^(?:shared|sandbox|gateway|renderer|host|cli|electron|launcher|build|bench|test|gateway-modules\.ts|package\.json|knip\.json|tsconfig.*\.json|.*\.config\.ts|\.gitignore)(?:\/|$)/;

/** Reports of each check. */
const findings: Record<Violation['reportedBy'], string> = { lint: '', types: '', unused: '' };
let copy = '';

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'gatehouse-boundaries-'));
  await cp(ROOT, copy, {
    recursive: true,
    filter: (source) => source === ROOT || SOURCES.test(source.slice(ROOT.length + 1)),
  });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  await writeFile(
    join(copy, 'gateway/planted-cycle-back.ts'),
    "import { cycle } from './planted-cycle.ts';\nexport const gateway = cycle;\n",
  );
  await writeFile(
    join(copy, 'gateway/planted-type-cycle-back.ts'),
    "import type { Cycle } from './planted-type-cycle.ts';\nexport interface Back {\n  readonly cycle: Cycle;\n}\n",
  );
  for (const { file, code } of VIOLATIONS) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await appendFile(join(copy, file), code);
  }
  const [lint, types, unused] = await Promise.all([
    run('oxlint', ['--format', 'unix']),
    run('tsc', ['-b', '--pretty', 'false']),
    run('knip', ['--reporter', 'compact']),
  ]);
  Object.assign(findings, { lint, types, unused });
}, 900_000);

afterAll(() => rm(copy, { recursive: true, force: true }));

describe('the boundaries check', () => {
  test('covers every module of the gateway', () => {
    expect(MODULES.toSorted()).toEqual(Object.keys(GATEWAY_MODULES).toSorted());
  });

  test('permits no module an import that it does not use', () => {
    for (const [module, { mayImport }] of Object.entries(GATEWAY_MODULES)) {
      expect(
        mayImport.filter((other) => !importedBy(module).has(other)),
        module,
      ).toEqual([]);
    }
  });

  test('covers every folder of a module', () => {
    const folders = readdirSync(join(ROOT, 'gateway'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => relative(join(ROOT, 'gateway'), join(parentPath, name)));
    expect(folders.filter((folder) => folder.split(sep).length > 3)).toEqual([]);
  });

  test('covers every folder of a screen', () => {
    const screens = join(ROOT, 'renderer/screens');
    const folders = readdirSync(screens, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => relative(screens, join(parentPath, name)));
    expect(folders.filter((folder) => folder.split(sep).length > 3)).toEqual([]);
  });

  test('covers every folder of shared/', () => {
    const folders = readdirSync(join(ROOT, 'shared'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(folders.toSorted()).toEqual(SHARED_FOLDERS.toSorted());
  });

  test.each(VIOLATIONS)('$rule', ({ file, reportedBy, message }) => {
    const complaints = findings[reportedBy].split('\n').filter((line) => line.includes(file));
    expect(complaints.join('\n')).toMatch(message);
  });
});

/** Finds the other modules from which the files of a module import. */
function importedBy(module: string): ReadonlySet<string> {
  const folder = join(ROOT, 'gateway', module);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const code = readFileSync(join(folder, file), 'utf8');
      return [...code.matchAll(/(?:from |import\()'(\.[^']+)'/gu)].map(([, path = '']) =>
        relative(join(ROOT, 'gateway'), join(folder, dirname(file), path)),
      );
    });
  return new Set(found.map((path) => path.split(sep)[0] ?? ''));
}

function run(tool: string, args: readonly string[]): Promise<string> {
  return new Promise((done) => {
    const bin = join(copy, 'node_modules/.bin', tool);
    execFile(bin, args, { cwd: copy, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => {
      done(stdout + stderr);
    });
  });
}
