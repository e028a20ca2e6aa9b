import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs, promisify } from 'node:util';

const text = (description) => ({ type: 'string', description });

/** The tools of the small agents in this folder, as JSON schemas. */
export const TOOLS = [
  {
    name: 'read',
    description: 'Reads a file.',
    parameters: { type: 'object', properties: { path: text('Path') }, required: ['path'] },
  },
  {
    name: 'edit',
    description: 'Replaces a text in a file.',
    parameters: {
      type: 'object',
      properties: { path: text('Path'), before: text('Text'), after: text('Its replacement') },
      required: ['path', 'before', 'after'],
    },
  },
  {
    name: 'run',
    description: 'Runs a shell command.',
    parameters: { type: 'object', properties: { command: text('Command') }, required: ['command'] },
  },
];

/** Calls a tool and returns its result as text. */
export async function callTool(name, { path, before, after, command }) {
  switch (name) {
    case 'read':
      return await readFile(path, 'utf8');
    case 'edit':
      await writeFile(path, (await readFile(path, 'utf8')).replace(before, after));
      return 'Done.';
    case 'run':
      return (await promisify(execFile)('sh', ['-c', command])).stdout;
    default:
      throw new Error(`There is no tool "${name}".`);
  }
}

const { values, positionals } = parseArgs({
  options: { image: { type: 'string' } },
  allowPositionals: true,
});
/** The prompt of the command line. */
export const prompt = positionals.join(' ');
/** The image of the command line in base64; `null` without one. */
export const image = values.image === undefined ? null : await readFile(values.image, 'base64');
export const model = process.env.TRIAL_MODEL;
