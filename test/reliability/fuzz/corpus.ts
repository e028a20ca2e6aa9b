import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, 'corpus');

/** The file of a target: a JSON string a line, each character of which is one byte of the input. */
function fileOf(target: string): string {
  return join(ROOT, `${target}.jsonl`);
}

/** Reads the stored inputs of a target; a target without a file has none. */
export async function readCorpus(target: string): Promise<Buffer[]> {
  const text = await readFile(fileOf(target), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Buffer.from(String(JSON.parse(line)), 'latin1'));
}

/** Adds an input to the file of its target, and returns the path of that file. */
export async function saveInput(target: string, input: Buffer): Promise<string> {
  const path = fileOf(target);
  await appendFile(path, `${toAsciiJson(input.toString('latin1'))}\n`);
  return path;
}

/** JSON of a text in ASCII alone, so that every byte of an input can be seen. */
function toAsciiJson(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u00ff]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
