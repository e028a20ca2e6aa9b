import { join } from 'node:path';
import { Option, type Command } from 'commander';
import type { ExchangeBodies, StoredBody } from '../../../shared/exchange/body.ts';
import type { ExchangeId, ExchangeRecord, RouteName } from '../../../shared/exchange/exchange.ts';
import { markOmitted } from '../../../shared/exchange/describe-body.ts';
import { formatBytes, formatCount, pluralize } from '../../../shared/format.ts';
import { findMasked } from '../../../shared/parse-bodies/find-masked.ts';
import { readStoredBodies } from '../../../gateway/bodies/read-file.ts';
import { tryParseJson } from '../../../gateway/lib/json-object.ts';
import type { CommandContext } from '../../command-context.ts';
import { CommandError, UsageError } from '../../errors.ts';
import { describeExchange } from '../../output/format-exchange.ts';
import { describeMark } from '../../output/format-mark.ts';
import {
  type CommandRepositories,
  withHistory,
  withRepositories,
} from '../../with-repositories.ts';
import { findExchange } from './find-exchange.ts';
import { formatAnswer, formatConversation, parseConversation } from './format-conversation.ts';
import { printDiff } from './print-diff.ts';

interface ShowFlags {
  readonly body?: (typeof BODIES)[number];
  readonly events?: boolean;
  readonly diff?: string;
  readonly json?: boolean;
  readonly data?: string;
}

/** The names of the bodies of an exchange on the command line. */
const BODIES = ['request', 'response', 'received'] as const;
const SIDES = { request: 'sent', response: 'returned', received: 'received' } as const;
const NAME_WIDTH = 14;
const TIME_WIDTH = 10;

const help = (command: string) => `
--body prints one body alone, as it is stored, to be read by another program:
request (as the service got it), received (as the client sent it, where it was
changed) or response. --events prints each event of a stream with the time
since the request came, in milliseconds. --diff prints what differs from another
exchange: removed as [-…-], added as {+…+}.

Examples:
  ${command} show ex-19b2 --body request | jq .messages
  ${command} show ex-19b2 --events
  ${command} show ex-19b2 --diff ex-19a7`;

/** Defines `gatehouse show`: one exchange with its request and its response. */
export function addShowCommand(program: Command, context: CommandContext): void {
  program
    .command('show')
    .description('show one exchange with its request and its response')
    .argument('<exchange-id>', 'id of an exchange, or a unique beginning of it')
    .addOption(new Option('--body <body>', 'print this body alone').choices(BODIES))
    .option('--events', 'print the events of a stream with their times')
    .option('--diff <exchange-id>', 'print what differs from this other exchange')
    .option('--json', 'print JSON with the exchange and its bodies')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', help(context.command))
    .action(async (id: string, flags: ShowFlags) => {
      const { body, events = false, diff, json = false } = flags;
      if ([body !== undefined, events, diff !== undefined, json].filter(Boolean).length > 1) {
        throw new UsageError('Give only one of --body, --events, --diff and --json.');
      }
      await show(context, id, flags);
    });
}

async function show(context: CommandContext, id: string, flags: ShowFlags): Promise<void> {
  const { terminal } = context;
  await withRepositories(context, flags.data, async (repositories) => {
    const exchange = await findExchange(repositories, id);
    const file = join(repositories.host.dataDir, 'bodies.db');
    const bodies = readStoredBodies(file, exchange.id);
    if (flags.diff !== undefined) {
      const other = await findExchange(repositories, flags.diff);
      const before = { exchange: other, bodies: readStoredBodies(file, other.id) };
      printDiff(context, before, { exchange, bodies });
    } else if (flags.json === true)
      terminal.printJson({ exchange, mark: await readMark(repositories, exchange.id), bodies });
    else if (flags.body !== undefined)
      await terminal.write(findText(flags.body, { exchange, bodies }));
    else if (flags.events === true) printEvents(context, bodies.returned);
    else {
      const mark = await readMark(repositories, exchange.id);
      const { currency } = repositories.settings.current();
      for (const { name, text } of [
        ...describeExchange(exchange, currency),
        ...describeMark(mark),
      ]) {
        terminal.printText(text, { first: name.padEnd(NAME_WIDTH), width: NAME_WIDTH });
      }
      printBodies(context, bodies, exchange.route);
    }
  });
}

async function readMark(repositories: CommandRepositories, id: ExchangeId) {
  const detail = await withHistory(repositories, (history) => history.get(id));
  return detail?.mark ?? null;
}

/** An exchange with what is kept of it. */
interface Shown {
  readonly exchange: ExchangeRecord;
  readonly bodies: ExchangeBodies;
}

/** Returns the text of a body. @throws CommandError when there is none */
function findText(name: (typeof BODIES)[number], shown: Shown): string {
  const { bodies } = shown;
  const body = bodies[SIDES[name]];
  if (name === 'received' && body === null && bodies.sent !== null) return bodies.sent.text;
  if (body === null) throw new CommandError(explainMissing(name, shown));
  if (body.binary) throw new CommandError('This body is binary; only its size is kept.');
  return body.text;
}

const NOT_KEPT =
  'It is not kept: it was deleted, or keeping is switched off in Settings, or there was none.';

/** Says why a body is missing. */
function explainMissing(
  name: (typeof BODIES)[number],
  { exchange: { attempts, bytesIn }, bodies: { state, received } }: Shown,
): string {
  if (state === 'absent') return NOT_KEPT;
  if (name === 'response') return 'There was none, or it is not kept.';
  if (attempts > 0) return 'There was none, or it was an upload, which is not kept.';
  if (received !== null)
    return 'Nothing was sent to the service. As the client sent it: --body received';
  return bytesIn === 0
    ? 'Gatehouse answered before it read a body, and nothing was sent to the service.'
    : 'Nothing was sent to the service.';
}

function printBodies(
  { terminal }: CommandContext,
  { received, sent, returned, state, earlier }: ExchangeBodies,
  route: RouteName,
): void {
  if (state === 'absent') {
    terminal.print('');
    terminal.print('No request and no response are kept of this exchange.');
    return;
  }
  const request = sent ?? received;
  for (const [title, body] of [
    ['Request', request],
    ['Response', returned],
  ] as const) {
    if (body === null) continue;
    terminal.print('');
    terminal.print(terminal.dim(`${title}, ${describeBody(body)}`));
    const conversation = body === request ? parseConversation(body, route, earlier) : null;
    const masked = conversation === null || body.masked === 0 ? [] : findMasked(conversation);
    if (masked.length > 0) terminal.print(terminal.dim(`Masked in ${masked.join(', in ')}`));
    if (body.binary) continue;
    const text =
      conversation === null ? formatAnswer(body, route) : formatConversation(conversation);
    terminal.printText(text ?? formatText(body));
  }
}

function describeBody({ bytes, binary, omitted, masked }: StoredBody): string {
  return [
    formatBytes(bytes),
    binary ? 'binary' : '',
    omitted === null ? '' : `${formatBytes(omitted.bytes)} in the middle are not kept`,
    masked === 0 ? '' : `${pluralize(masked, 'secret')} masked`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Formats a body for people: JSON with line breaks. */
function formatText(body: StoredBody): string {
  const text = markOmitted(body);
  const value = tryParseJson(text);
  return value === undefined ? text.trimEnd() : JSON.stringify(value, null, 2);
}

function printEvents({ terminal }: CommandContext, body: StoredBody | null): void {
  if (body === null) throw new CommandError(NOT_KEPT);
  if (body.eventTimes === null) throw new CommandError('The response was no stream of events.');
  const events = body.text.split(/\r?\n\r?\n/u).filter((event) => event.trim() !== '');
  for (const [place, event] of events.entries()) {
    const time = body.eventTimes[place];
    const first = (time === undefined ? '' : formatCount(Math.round(time))).padStart(
      TIME_WIDTH - 2,
    );
    terminal.printText(event.trim(), { first: `${first}  `, width: TIME_WIDTH });
  }
}
