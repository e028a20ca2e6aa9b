import type { CommandLine } from '../host/process/child-process.ts';
import type { Terminal } from './output/terminal.ts';

/** The parts of the process that every command gets. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly input: NodeJS.ReadStream;
  /** The arguments after the program's name. */
  readonly args: readonly string[];
  /** The command with which a person starts this program. Hints begin with it, so that they can be pasted. */
  readonly command: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The program that makes one call to the keychain. */
  readonly keychain: CommandLine;
  readonly envSettings: EnvSettings;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** The settings of the environment (all names begin with GATEHOUSE_). An empty variable counts as absent. */
export interface EnvSettings {
  readonly upstreamUrl: string | undefined;
  readonly upstreamKey: string | undefined;
  readonly localKey: string | undefined;
  readonly port: string | undefined;
  readonly windowPort: string | undefined;
}

export function readEnvSettings(environment: NodeJS.ProcessEnv): EnvSettings {
  const read = (name: string) => environment[name]?.trim() || undefined;
  return {
    upstreamUrl: read('GATEHOUSE_UPSTREAM_URL'),
    upstreamKey: read('GATEHOUSE_UPSTREAM_KEY'),
    localKey: read('GATEHOUSE_LOCAL_KEY'),
    port: read('GATEHOUSE_PORT'),
    windowPort: read('GATEHOUSE_UI_PORT'),
  };
}
