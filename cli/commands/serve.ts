import { Option, type Command } from 'commander';
import { startWorker } from '../../gateway/store/database-worker.ts';
import type { LogLevel } from '../../gateway/host.ts';
import { LOG_LEVELS } from '../../host/log/log.ts';
import { parsePort } from '../arguments/parse-numbers.ts';
import { UsageError } from '../errors.ts';
import { readSecret } from '../output/prompt.ts';
import { pinnedSettings } from '../pinned-settings.ts';
import type { ServeOptions } from '../run-server.ts';
import type { CommandContext } from '../command-context.ts';
import { parseWindowPort } from '../arguments/window-port.ts';

interface ServeFlags {
  readonly port?: string;
  readonly uiPort?: string;
  /** False with `--no-ui`. */
  readonly ui: boolean;
  readonly open?: boolean;
  readonly upstream?: string;
  readonly vendor?: string;
  readonly sandbox?: boolean;
  readonly askKey?: boolean;
  readonly strict?: boolean;
  readonly allowOrigin: readonly string[];
  readonly data?: string;
  readonly logLevel: LogLevel;
}

const examples = (command: string) => `
Examples:
  ${command} serve
  ${command} serve --upstream https://models.example.com --ask-key
  ${command} serve --port 7000 --log-level debug`;

/** Defines `gatehouse serve`, which runs the gateway until it is stopped. */
export function addServeCommand(program: Command, context: CommandContext, version: string): void {
  program
    .command('serve')
    .description('run Gatehouse; without a service it runs with the sandbox')
    .option(
      '--port <port>',
      'port on 127.0.0.1; 0 for any free one (default: that of the settings, 6417 at first)',
    )
    .option('--ui-port <port>', 'port of the window; 0 for any free one (default: 6418)')
    .option('--no-ui', 'serve no window')
    .option('--open', 'open the window in the browser')
    .option('--upstream <url>', 'base address of the service, for this run')
    .option('--vendor <name>', 'vendor in the version header of the Messages protocol')
    .option('--sandbox', 'use the sandbox, whatever is configured')
    .option('--ask-key', 'ask for the service key and hold it for this run only')
    .option('--strict', 'do not repair requests of clients')
    .option(
      '--allow-origin <origin>',
      'allow requests from web pages of this origin; may be repeated',
      collect,
      [],
    )
    .addOption(
      new Option('--log-level <level>', 'level of messages on standard error')
        .choices(LOG_LEVELS)
        .default('info'),
    )
    .option('--data <dir>', 'data folder')
    .addHelpText('after', examples(context.command))
    .action(async (flags: ServeFlags) => {
      // The thread of the database starts while the rest of the program is loaded.
      const worker = startWorker();
      const { runServer } = await import('../run-server.ts');
      await runServer(context, { ...(await toServeOptions(context, flags, version)), worker });
    });
}

async function toServeOptions(
  context: CommandContext,
  flags: ServeFlags,
  version: string,
): Promise<Omit<ServeOptions, 'worker'>> {
  if (flags.sandbox === true && (flags.upstream !== undefined || flags.askKey === true)) {
    throw new UsageError('--sandbox has its own service and key; omit the other flag.');
  }
  if (flags.vendor !== undefined) {
    const { parseVendor } = await import('../service.ts');
    parseVendor(flags.vendor);
  }
  if (!flags.ui && (flags.uiPort !== undefined || flags.open === true)) {
    throw new UsageError('--no-ui serves no window; omit the other flag.');
  }
  const port = parsePort(flags.port, context.envSettings.port);
  const window = flags.ui ? parseWindowPort(flags.uiPort, context.envSettings.windowPort) : null;
  const allowedOrigins = flags.allowOrigin.map(parseOrigin);
  const thisRunKey =
    flags.askKey === true
      ? await readSecret('Service key, for this run only:', context.input)
      : undefined;
  return {
    version,
    ...(port === null ? {} : { port }),
    pinned: pinnedSettings(flags, context.envSettings),
    window,
    openWindow: flags.open === true,
    allowedOrigins,
    sandbox: flags.sandbox === true,
    strict: flags.strict === true,
    logLevel: flags.logLevel,
    service: {
      ...(flags.upstream === undefined ? {} : { upstream: flags.upstream }),
      ...(flags.vendor === undefined ? {} : { vendor: flags.vendor }),
    },
    ...(flags.data === undefined ? {} : { dataFlag: flags.data }),
    ...(thisRunKey === undefined ? {} : { thisRunKey }),
  };
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Checks an origin in the form of browsers (RFC 6454): scheme, host, port, nothing after that. */
function parseOrigin(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : 'null';
  if (origin === 'null' || text.replace(/\/$/u, '').toLowerCase() !== origin) {
    throw new UsageError('--allow-origin takes an origin such as https://app.example.com.');
  }
  return origin;
}
