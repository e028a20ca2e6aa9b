import { quoteForShell } from '../shell-quote.ts';
import type { Step } from './client-tool.ts';

/** Formats a value as JSON, which for a string is also a literal of TypeScript, Python, TOML and YAML. */
export function literal(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Quotes any text as one word for PowerShell. */
export function quoteForPowershell(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

type Variables = Readonly<Record<string, string>>;

/** Sets environment variables in a terminal. */
export function environmentStep(text: string, variables: Variables): Step {
  const each = Object.entries(variables);
  return {
    text,
    where: 'Terminal',
    language: 'shell',
    code: each.map(([name, value]) => `export ${name}=${quoteForShell(value)}`).join('\n'),
    windows: each.map(([name, value]) => `$env:${name} = ${quoteForPowershell(value)}`).join('\n'),
  };
}

/** Stores a key permanently, where the tool can read it and no project file contains it. */
export function storedKeyStep(name: string, key: string): Step {
  return {
    text: `Keep the local key in the environment variable ${name}. On macOS and Linux, add this line to ~/.zshrc or ~/.bashrc; on Windows, run it once. Then open a new terminal.`,
    where: 'Your shell’s profile',
    language: 'shell',
    code: `export ${name}=${quoteForShell(key)}`,
    windows: `[Environment]::SetEnvironmentVariable('${name}', ${quoteForPowershell(key)}, 'User')`,
  };
}

/** Formats a line of a `.env` file. */
export function envLine(name: string, value: string): string {
  return `${name}=${/^[\w./:@-]+$/u.test(value) ? value : literal(value)}`;
}

/** A command for a terminal. */
export function commandStep(text: string, code: string): Step {
  return { text, where: 'Terminal', language: 'shell', code };
}
