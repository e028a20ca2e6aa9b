/** Returns the autostart entry of a program with an argument (Desktop Entry Specification). */
export function formatAutostartEntry(program: string, argument: string): string {
  return `[Desktop Entry]
Type=Application
Name=Gatehouse
Comment=A local gateway for one account at a remote model service
${formatExecLine(program, argument)}
Icon=gatehouse-desktop
Terminal=false
X-GNOME-Autostart-enabled=true
`;
}

/** Returns the entry for a program under its present name; edits made by a person are kept. */
export function updateAutostartEntry(entry: string, program: string, argument: string): string {
  return entry.replace(/^Exec=.*$/mu, () => formatExecLine(program, argument));
}

function formatExecLine(program: string, argument: string): string {
  // The argument is quoted first and then escaped as a text, so each backslash of the quoting is doubled.
  const quoted = program.replaceAll(/["`$\\]/gu, String.raw`\$&`).replaceAll('%', '%%');
  return `Exec=${`"${quoted}" ${argument}`.replaceAll('\\', String.raw`\\`)}`;
}

/** Whether an entry is active: desktops disable one by a key inside it. */
export function isEntryEnabled(entry: string): boolean {
  return entry !== '' && !/^(?:Hidden=true|X-GNOME-Autostart-enabled=false)\s*$/imu.test(entry);
}
