import type { Step } from './client-tool.ts';

/** A JSON text; also a literal of TypeScript, Python, TOML and YAML when the value is a string. */
export function literal(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** One word for a POSIX shell, whatever is in it. */
export function shellWord(text: string): string {
  return /^[\w./:@-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** One word for PowerShell, whatever is in it. */
export function powershellWord(text: string): string {
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
    code: each.map(([name, value]) => `export ${name}=${shellWord(value)}`).join('\n'),
    windows: each.map(([name, value]) => `$env:${name} = ${powershellWord(value)}`).join('\n'),
  };
}

/** Sets a key for good, where the tool can read it and no project file holds it. */
export function storedKeyStep(name: string, key: string): Step {
  return {
    text: `Keep the local key in the environment variable ${name}. On macOS and Linux this line belongs into ~/.zshrc or ~/.bashrc; on Windows run it once. Then open a new terminal.`,
    where: 'Your shell’s profile',
    language: 'shell',
    code: `export ${name}=${shellWord(key)}`,
    windows: `[Environment]::SetEnvironmentVariable('${name}', ${powershellWord(key)}, 'User')`,
  };
}

/** A line of a `.env` file. */
export function envLine(name: string, value: string): string {
  return `${name}=${/^[\w./:@-]+$/u.test(value) ? value : literal(value)}`;
}

/** A command for a terminal. */
export function commandStep(text: string, code: string): Step {
  return { text, where: 'Terminal', language: 'shell', code };
}
