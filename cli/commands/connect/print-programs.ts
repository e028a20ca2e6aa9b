import { TOOLS } from '../../../shared/client-setup/tools.ts';
import { ProgramId, type ProgramState } from '../../../shared/connect/connection.ts';
import type { CommandContext } from '../../command-context.ts';
import type { CommandRepositories } from '../../with-repositories.ts';
import { openCommandConnections } from './connections.ts';

/** Prints the programs that can be connected, those that are installed first. */
export async function printPrograms(
  context: CommandContext,
  repositories: CommandRepositories,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const { terminal, command } = context;
  const connections = await openCommandConnections(context, repositories, []);
  const programs = await connections.list();
  const others = TOOLS.filter(({ id }) => !ProgramId.safeParse(id).success);
  if (json) {
    terminal.printJson({
      programs,
      byHand: others.map(({ id, name, checked = 'tried' }) => ({ id, name, checked })),
    });
    return;
  }
  const sorted = programs.toSorted((one, other) => rank(one) - rank(other));
  await terminal.printTable({
    head: ['Program', 'Name', 'Found', 'State'],
    rows: sorted.map((program) => [
      program.name,
      program.id,
      program.foundAt ?? '–',
      describeState(program),
    ]),
    narrowing: [{ truncate: 2, minWidth: 12 }],
  });
  terminal.printText(`Connect one: ${command} connect NAME`);
  terminal.printText(
    `Settings to enter by hand: ${command} connect NAME, for ${others.map(({ id }) => id).join(', ')}`,
  );
  const untried = others.filter(({ checked }) => checked === 'documented').map(({ id }) => id);
  terminal.printText(`From documentation only, not tried: ${untried.join(', ')}`);
}

function rank({ connection, foundAt }: ProgramState): number {
  if (connection !== null) return 0;
  return foundAt === null ? 2 : 1;
}

function describeState({ connection, checked, foundSettingsOnly }: ProgramState): string {
  const found = foundSettingsOnly ? '; settings found, program not found' : '';
  if (connection !== null) {
    const changed = connection.files.some(({ state }) => state !== 'as-written');
    return `${changed ? 'connected, changed since' : 'connected'}${found}`;
  }
  return `${checked === 'documented' ? 'not connected, untried' : 'not connected'}${found}`;
}
