import { findFreeName } from '../../../shared/free-name.ts';
import type { ClientTool } from '../../../shared/client-setup/client-tool.ts';
import type { CommandContext } from '../../command-context.ts';
import { UsageError } from '../../errors.ts';
import { askToConfirm } from '../../output/prompt.ts';
import type { CommandRepositories } from '../../with-repositories.ts';
import { findAddress } from './connections.ts';

interface RecipeFlags {
  readonly model?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Placeholders for values that are not known. */
const KEY = 'YOUR_LOCAL_KEY';
const MODEL = 'YOUR_MODEL';

/** Prints the steps that set a program up whose settings Gatehouse does not change, with a local key of its own. */
export async function printRecipe(
  context: CommandContext,
  repositories: CommandRepositories,
  tool: ClientTool,
  flags: RecipeFlags,
): Promise<void> {
  const { terminal, command } = context;
  if (tool.supportsLocalhost !== true) {
    throw new UsageError(`${tool.name} cannot be connected. ${tool.supportsLocalhost}`);
  }
  const root = await findAddress(context, repositories);
  const key = await createKey(context, repositories, tool, flags);
  const { model = MODEL } = flags;
  const steps = tool.recipe({ chat: `${root}/v1`, messages: root, key: key ?? KEY, model });
  if (flags.json === true) {
    terminal.printJson({ program: tool.id, steps });
    return;
  }
  terminal.printText(`${tool.name} is set up by hand:`);
  if (tool.checked === 'documented') {
    terminal.printText(
      `These steps are from the documentation of ${tool.name}; they were not tried with it.`,
    );
  }
  for (const [index, { text, where, code }] of steps.entries()) {
    terminal.print('');
    terminal.printText(`${index + 1}. ${text}`);
    if (where !== undefined) terminal.print(terminal.dim(`   ${where}`));
    if (code !== undefined) terminal.print(`\n${code.replaceAll(/^/gmu, '    ')}`);
  }
  terminal.print('');
  if (key === null) terminal.printText(`For a local key: ${command} clients add "${tool.name}"`);
}

/** Creates a local key when the person wants one; `null` otherwise. */
async function createKey(
  { terminal }: CommandContext,
  { clients }: CommandRepositories,
  { name }: ClientTool,
  { yes = false, dryRun = false }: RecipeFlags,
): Promise<string | null> {
  if (dryRun || (!yes && !terminal.interactive)) return null;
  const question = `Create a local key for ${name}? It is shown once, in the steps.`;
  if (!yes && !(await askToConfirm(question, new AbortController().signal))) return null;
  const all = await clients.list();
  const active = all.filter(({ revokedAt }) => revokedAt === null);
  const added = findFreeName(
    name,
    active.map((client) => client.name),
  );
  if (added !== name) {
    terminal.printError(
      `There is a client “${name}” already. This key is that of a new one, “${added}”, for which its limits do not hold.`,
    );
  }
  return (await clients.add(added)).key;
}
