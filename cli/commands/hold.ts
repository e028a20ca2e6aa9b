import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import type { Command } from 'commander';
import { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { HeldRequest, HoldState } from '../../shared/exchange/hold.ts';
import { pluralize } from '../../shared/format.ts';
import { isObject, type JsonObject, tryParse } from '../../shared/parse-bodies/json.ts';
import { parseInteger } from '../arguments/parse-numbers.ts';
import type { CommandContext } from '../command-context.ts';
import { type RunningEngine, withEngine } from '../engine-client.ts';
import { CommandError, UsageError } from '../errors.ts';
import { escapeAnswer } from '../output/format.ts';
import { formatTable } from '../output/table.ts';
import { findRunningClient } from './stop-client.ts';

interface HoldFlags {
  readonly seconds: string;
  readonly pass?: boolean;
  readonly json?: boolean;
  readonly data?: string;
}

interface HeldFlags {
  /** Whether it is sent; with the name of a file, with its contents. */
  readonly send?: boolean | string;
  readonly refuse?: boolean | string;
  readonly extend?: string;
  readonly next?: boolean;
  readonly json?: boolean;
  readonly data?: string;
}

const heldHelp = (command: string) => `
Without an id, lists the requests that wait. With one, prints its JSON as the
client sent it, with secrets, or decides about it.

Examples:
  ${command} clients held
  ${command} clients held ex-19b2 > request.json
  ${command} clients held ex-19b2 --extend 600
  ${command} clients held ex-19b2 --send request.json
  ${command} clients held ex-19b2 --refuse "Do not change this file."`;

/** Defines `gatehouse clients hold` and `gatehouse clients held`, which let a person look at a request before it is sent. */
export function addHoldCommands(clients: Command, context: CommandContext): void {
  clients
    .command('hold <name>')
    .description('make the next request of a client for an answer wait until you have seen it')
    .option('--seconds <number>', 'after this time it goes on unchanged', '120')
    .option('--pass', 'let the next request pass again')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .action(async (name: string, flags: HoldFlags) => await holdNext(context, name, flags));
  clients
    .command('held [id]')
    .description('list, print, extend, send or refuse the requests that wait')
    .option('--send [file]', 'let it go on; with a file, or - for standard input, as this JSON')
    .option('--refuse [words]', 'refuse it; the client gets these words')
    .option('--extend <seconds>', 'let it wait for so many seconds from now')
    .option('--next', 'with --send: make the next request of its client wait, too')
    .option('--json', 'print the list as JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', heldHelp(context.command))
    .action(
      async (id: string | undefined, flags: HeldFlags) =>
        await (id === undefined ? listHeld(context, flags) : decide(context, id, flags)),
    );
}

async function holdNext(
  context: CommandContext,
  name: string,
  { seconds: text, pass = false, json = false, data }: HoldFlags,
): Promise<void> {
  const { terminal, command } = context;
  const seconds = parseInteger(text, { name: '--seconds', from: 5, to: 600 });
  const { client, waiting } = await withEngine(context, data, async ({ calls }) => {
    const found = await findRunningClient(calls, name);
    await (pass
      ? calls.clients.hold.cancel({ id: found.id })
      : calls.clients.hold.next({ id: found.id, seconds }));
    const { held } = await calls.clients.hold.list();
    return { client: found, waiting: held.filter(({ clientId }) => clientId === found.id) };
  });
  if (json) terminal.printJson({ client, holdsNext: !pass, ...(pass ? {} : { seconds }) });
  else if (pass) {
    terminal.printText(`The next request of "${client.name}" passes.`);
    for (const { id } of waiting)
      terminal.printText(`${id} waits already: ${command} clients held ${id}`);
  } else {
    terminal.printText(
      `The next request of "${client.name}" will wait for you, at most ${pluralize(seconds, 'second')}.\nLook at it: ${command} clients held, or in the window.`,
    );
  }
}

async function listHeld(
  context: CommandContext,
  { send, refuse, extend, next, json = false, data }: HeldFlags,
): Promise<void> {
  if ([send, refuse, extend, next].some((flag) => flag !== undefined))
    throw new UsageError('Name the request: its id is in the list without options.');
  const { terminal } = context;
  const state = await withEngine(
    context,
    data,
    async ({ calls }) => await calls.clients.hold.list(),
  );
  if (json) terminal.printJson(state);
  else terminal.print(formatState(state, context));
}

function formatState({ held, next }: HoldState, { terminal, now }: CommandContext): string {
  const rows = held.map((one) => [one.id, one.clientName, formatRest(one, now())]);
  const table = { head: ['id', 'client', 'goes on in'], rows, numbers: [2] };
  const awaited = next.map(({ clientName }) => `The next request of "${clientName}" will wait.`);
  const lines = rows.length === 0 ? awaited : [formatTable(table, terminal), ...awaited];
  return lines.length === 0 ? 'No request waits.' : lines.join('\n');
}

function formatRest({ heldAt, until }: HeldRequest, now: number): string {
  const restMs = Math.min(until - heldAt, Math.max(0, until - now));
  return `${Math.ceil(restMs / 1_000)} s`;
}

async function decide(
  context: CommandContext,
  prefix: string,
  { send, refuse, extend, next = false, json = false, data }: HeldFlags,
): Promise<void> {
  if ([send, refuse, extend].filter((flag) => flag !== undefined).length > 1)
    throw new UsageError('--send, --refuse and --extend exclude each other.');
  if (next && send === undefined) throw new UsageError('--next requires --send.');
  if (json) throw new UsageError('--json is for the list only.');
  const { terminal } = context;
  const seconds =
    extend === undefined ? null : parseInteger(extend, { name: '--extend', from: 5, to: 600 });
  const edited = typeof send === 'string' ? await readJson(send, context) : null;
  await withEngine(context, data, async ({ calls }) => {
    const id = await findHeld(calls, prefix);
    if (seconds !== null) {
      await calls.clients.hold.extend({ id, seconds });
      terminal.printText(`${id} waits for ${pluralize(seconds, 'second')} from now.`);
      return;
    }
    if (refuse !== undefined) {
      await calls.clients.hold.refuse({ id, reason: typeof refuse === 'string' ? refuse : '' });
      terminal.printText(`${id} was refused.`);
      return;
    }
    if (send !== undefined && edited === null) {
      await calls.clients.hold.send({ id, holdNext: next });
      terminal.printText(`${id} was sent.`);
      return;
    }
    const { text, reason } = await calls.clients.hold.read({ id });
    if (edited === null) {
      if (text === null) throw new CommandError(`Its body cannot be shown. ${reason}`);
      await terminal.write(terminal.columns === null ? text : `${escapeAnswer(text)}\n`);
      return;
    }
    if (text === null) throw new CommandError(`This request cannot be changed. ${reason}`);
    const changes = findChanges(toFields(text), edited);
    await calls.clients.hold.send({ id, ...changes, holdNext: next });
    terminal.printText(`${id} was sent.`);
  });
}

/** @throws CommandError when none or several have this beginning */
async function findHeld(calls: RunningEngine['calls'], prefix: string): Promise<ExchangeId> {
  const { held } = await calls.clients.hold.list();
  const found = held.filter(({ id }) => id.startsWith(prefix));
  const [first] = found;
  if (first === undefined)
    throw new CommandError(`No request waits whose id begins with ${prefix}.`);
  if (found.length > 1)
    throw new CommandError(`Several requests wait whose id begins with ${prefix}.`);
  return ExchangeId.parse(first.id);
}

async function readJson(file: string, { input }: CommandContext): Promise<JsonObject> {
  const text = file === '-' ? await readText(input) : await readFile(file, 'utf8');
  const fields = tryParse(text);
  if (!isObject(fields)) throw new UsageError('The new request is not a JSON object.');
  return fields;
}

function toFields(text: string): JsonObject {
  const fields = tryParse(text);
  return isObject(fields) ? fields : {};
}

/** Returns the fields that differ, and those that are missing. */
function findChanges(before: JsonObject, edited: JsonObject) {
  const changed = Object.entries(edited).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(edited, name));
  return { changed: Object.fromEntries(changed), removed };
}
