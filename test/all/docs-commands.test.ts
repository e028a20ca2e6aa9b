import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { z } from 'zod';
import { test } from '../kit/videos/video-test.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const Package = z.object({ scripts: z.record(z.string(), z.string()) });

/** Matches a line that calls the command line, from the repository or installed. */
const CALL = /^(?:npm run -s gatehouse -- |gatehouse |npm start -- )(.*)$/u;
/** Matches a placeholder that the reader replaces. */
const PLACEHOLDER = /\b(?:COMMAND|PORT|FILE|ID)\b/u;

/** Every line of code shown in README.md, CONTRIBUTING.md and docs/. */
async function shownLines(): Promise<readonly string[]> {
  const docs = (await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md'));
  const pages = ['README.md', 'CONTRIBUTING.md', ...docs.map((name) => join('docs', name))];
  const texts = await Promise.all(
    pages.map(async (page) => await readFile(join(ROOT, page), 'utf8')),
  );
  return texts.flatMap((text) => {
    const blocks = [...text.matchAll(/^```\w*\n(.*?)^```/gmsu)].flatMap(([, code = '']) =>
      code.split('\n'),
    );
    const spans = [...text.replaceAll(/^```.*?^```/gmsu, '').matchAll(/`([^`\n]+)`/gu)];
    // Several spaces separate a command from its description; && joins two commands.
    return [...blocks, ...spans.map(([, code = '']) => code)]
      .flatMap((line) => line.split(' && '))
      .map((line) => (line.split(/ {3,}/u)[0] ?? '').trim());
  });
}

const lines = [...new Set(await shownLines())];
const calls = lines.flatMap((line) => {
  const rest = CALL.exec(line)?.[1]?.split(' | ')[0]?.trim();
  return rest === undefined || PLACEHOLDER.test(rest) || rest.includes('…') ? [] : [{ line, rest }];
});

/** Splits a command line into arguments as a shell does, as far as the pages need it. */
function splitArguments(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|(\S+)/gu)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** Commands that run until they are stopped. */
const SERVES = new Set(['serve', '--headless', '--port']);

/** Commands that fail on the test machine, which has no keychain and no window. */
const ENDS_WITH: Readonly<Record<string, string>> = {
  'key set --upstream https://models.example.com': 'on a system without a keychain',
  'key test': 'no service is configured yet',
  'key forget': 'no service is configured yet',
  'run -- claude': 'there is no program',
  'run -- PROGRAM': 'there is no program',
  disconnect: 'no program was connected',
};

describe('a command shown in the docs', { concurrent: true }, () => {
  test('is found at all', () => {
    expect(calls.length).toBeGreaterThan(8);
  });

  test.for(calls)('$line', async ({ rest }, { terminal, image, folder }) => {
    await image('fox.png');
    const commandArgs = splitArguments(rest).map((word) =>
      /\.(?:png|mp4)$/u.test(word) ? join(folder, word) : word,
    );
    await writeFile(join(folder, 'key.txt'), 'sk-0123456789abcdefgh');
    const [first = ''] = commandArgs;
    if (SERVES.has(first)) {
      const given = commandArgs.filter((word) => word !== 'serve' && word !== '--headless');
      // Uses any free port, because the one in the example may be in use here.
      const args = given.map((word) => (/^\d+$/u.test(word) ? '0' : word));
      await using serving = await terminal.serve(args);
      expect(serving.localKey).not.toBe('');
      return;
    }
    await using serving = await terminal.serve();
    expect(serving.port).toBeGreaterThan(0);
    const yes = commandArgs[1] === 'new' ? ['--yes'] : [];
    const { code, stderr } = await terminal.run([...commandArgs, ...yes], {
      input: 'sk-0123456789abcdefgh',
    });
    const expected = ENDS_WITH[rest];
    if (expected === undefined) expect([code, stderr]).toEqual([0, expect.any(String)]);
    else expect(stderr.toLowerCase()).toContain(expected);
  });

  test('names an existing script', async () => {
    const { scripts } = Package.parse(
      JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')),
    );
    const named = lines.flatMap((line) => /^npm run (?:-s )?([\w:-]+)/u.exec(line)?.[1] ?? []);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

/** Commands that the pages name in a sentence, such as `serve --strict` or `key forget`. */
const TOP =
  /^(?:serve|open|key|clients|prices|models|history|export|usage|ask|video|completion|doctor|restore|status) \S/u;

describe('a command named in a sentence of the docs', { concurrent: true }, () => {
  const named = lines.filter((line) => TOP.test(line) && !PLACEHOLDER.test(line));

  test.for(named)('%s', async (line, { terminal }) => {
    const commandArgs = splitArguments(line);
    const path = commandArgs.slice(0, /^[a-z]+$/u.test(commandArgs[1] ?? '') ? 2 : 1);
    const { code, stdout } = await terminal.run([...path, '--help']);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`gatehouse ${path.join(' ')} `)]);
    for (const option of commandArgs.filter((word) => word.startsWith('--'))) {
      expect(stdout).toContain(option);
    }
  });
});
