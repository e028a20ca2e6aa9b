import type { Command } from 'commander';
import type { CommandContext } from '../../command-context.ts';
import { addApplyCommand } from './apply.ts';
import { addExportCommand, addImportCommand } from './files.ts';
import { addListCommand } from './list.ts';
import { addRemoveCommand, addSetCommand } from './set.ts';
import { addSuggestCommand } from './suggest.ts';

/** Defines `gatehouse prices`: the prices of models, by which costs are computed. */
export function addPriceCommands(program: Command, context: CommandContext): void {
  const prices = program
    .command('prices')
    .helpCommand(false)
    .description('list, set, import or suggest the prices of models');
  addListCommand(prices, context);
  addSetCommand(prices, context);
  addRemoveCommand(prices, context);
  addSuggestCommand(prices, context);
  addImportCommand(prices, context);
  addExportCommand(prices, context);
  addApplyCommand(prices, context);
}
