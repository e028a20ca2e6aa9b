import { resolve } from 'node:path';
import { writeStoredFixture } from '../../../gateway/bodies/read-file.ts';
import { pluralize } from '../../../shared/format.ts';
import type { FixtureChunk, RunDetail } from '../../../shared/run/run.ts';
import type { CommandContext } from '../../command-context.ts';
import { UsageError } from '../../errors.ts';
import { requireNewFile, writeWholeFile } from '../../output/publish-file.ts';
import type { KnownSecrets } from '../../with-repositories.ts';

interface FixtureFlags {
  readonly fixture?: boolean;
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Checks the options of a fixture. Returns the path of its file; `null` for standard output. @throws UsageError, CommandError */
export async function checkFixtureFlags(
  id: string | undefined,
  { fixture = false, out, force = false, json = false }: FixtureFlags,
): Promise<string | null> {
  if (fixture && id === undefined) throw new UsageError('--fixture requires the id of a run.');
  if (fixture && json) throw new UsageError('--fixture writes JSON of its own; omit --json.');
  if (!fixture && out !== undefined) throw new UsageError('--out requires --fixture.');
  if (force && out === undefined) throw new UsageError('--force requires --out.');
  if (out === undefined) return null;
  const target = resolve(out);
  await requireNewFile(target, force);
  return target;
}

interface FixtureOptions {
  /** Path of the database of the bodies. */
  readonly file: string;
  readonly run: RunDetail;
  readonly secrets: KnownSecrets;
  readonly target: string | null;
  readonly force?: boolean;
}

/** Writes a run as a fixture, and says on standard error what is missing in it. */
export async function saveFixture(
  { terminal }: CommandContext,
  { file, run, secrets, target, force = false }: FixtureOptions,
): Promise<void> {
  let last: FixtureChunk | null = null;
  const texts = async function* () {
    for await (const chunk of writeStoredFixture(file, run, secrets)) {
      last = chunk;
      yield chunk.text;
    }
  };
  if (target === null) for await (const text of texts()) await terminal.write(text);
  else await writeWholeFile(target, force, texts());
  reportFixture(terminal, last, target);
}

function reportFixture(
  terminal: CommandContext['terminal'],
  chunk: FixtureChunk | null,
  target: string | null,
): void {
  const { steps = 0, skipped = 0, masked = 0 } = chunk ?? {};
  if (target !== null) terminal.printText(`${pluralize(steps, 'step')} saved in ${target}`);
  if (skipped > 0) {
    terminal.printError(
      `${pluralize(skipped, 'step')} left out: the response is not kept whole, or the run has too many.`,
    );
  }
  if (masked > 0) terminal.printError(`${pluralize(masked, 'secret')} in it masked.`);
}
